import '../modules/modules.css';
import '../charts/charts.css';
import { useMemo, useState } from 'preact/hooks';
import { ChartFrame, SearchField, Select } from '../charts/chart_frame.tsx';
import { Absent, present, Sides, WhenLoaded } from '../charts/sides.tsx';
import type { Fact } from '../charts/tooltip.tsx';
import { useSections, type Side } from '../charts/use_sections.ts';
import type { Stacks, StackTree } from '../data/format.ts';
import type { Report } from '../data/report.ts';
import { DataTable, type DataColumn } from '../tables/data_table.tsx';
import { counted } from '../text/units.ts';
import { FlameGraph, type FlameGraphWords } from './flame_graph.tsx';
import { functionSums, kSamples, type StackNames } from './stack_tree.ts';

/** Where host threads spend their time, by samples of their call stacks. */
export function StacksView({ report }: { report: Report }) {
  return <WhenLoaded loaded={useSections(report, 'stacks')}>{(sides) => <LoadedStacks sides={sides} />}</WhenLoaded>;
}

const kFromThreads = 'callers';
const kOrders = [
  { key: kFromThreads, title: 'threads (callers above)' },
  { key: 'inverted', title: 'sampled functions (inverted)' },
];

function LoadedStacks({ sides }: { sides: readonly Side<Stacks>[] }) {
  const there = present(sides);
  const titles = [...new Set(there.flatMap(({ data }) => data.kinds.map(({ title }) => title)))];
  const [chosen, setChosen] = useState('');
  const [order, setOrder] = useState(kFromThreads);
  const [text, setText] = useState('');
  const title = titles.includes(chosen) ? chosen : (titles[0] ?? '');
  const shown = there.flatMap(({ profile, data }) => {
    const tree = data.kinds.find((kind) => kind.title === title);
    return tree ? [{ profile, tree }] : [];
  });
  const controls = (
    <>
      {titles.length > 1 && (
        <Select
          label="Samples"
          choices={titles.map((key) => ({ key, title: key }))}
          value={title}
          onChoose={setChosen}
        />
      )}
      <Select label="From" choices={kOrders} value={order} onChoose={setOrder} />
      <SearchField value={text} onSearch={setText} />
    </>
  );
  return (
    <div class="sonde-view">
      <Absent sides={sides}>
        No call stacks were sampled. Record them with sonde record -s process-tree, sonde record --python-sampling, or
        nsys profile --sample=process-tree.
      </Absent>
      <ChartFrame title={`Host call stacks: ${title}`} controls={controls}>
        <Sides sides={shown}>
          {({ tree }) => (
            <FlameGraph
              key={title + order}
              frames={tree}
              whole={tree.samples}
              says={`${counted(tree.samples, 'sample')} with a call stack.`}
              turned={order !== kFromThreads}
              text={text}
              words={kWords}
              factsOf={factsOf}
            />
          )}
        </Sides>
        <p class="sonde-muted sonde-hint">
          Arrow keys select the caller, a callee or a neighbor; Enter zooms in, Escape zooms out. Samples are taken at a
          fixed rate, CPU samples only while a thread is on a core. The error of n samples is about the square root of
          n.
        </p>
      </ChartFrame>
      <Sides sides={shown} stacked>
        {({ tree }) => <FunctionTable key={title} tree={tree} />}
      </Sides>
    </div>
  );
}

const kWords: FlameGraphWords = {
  one: 'function',
  all: 'all samples',
  outside: '',
  weight: kSamples,
  found: 'frame',
  ofAll: 'of the samples',
  summary: 'Call stacks by samples.',
};

const factsOf = (names: StackNames, row: number): Fact[] => [
  ['in the function itself', kSamples.text(names.self[row]!)],
  ['file', names.domain[row] || '–'],
];

function FunctionTable({ tree }: { tree: StackTree }) {
  const columns = useMemo(() => functionColumns(tree), [tree]);
  return <DataTable caption={`Functions: ${tree.title}`} columns={columns} sort={{ column: 2, descending: true }} />;
}

function functionColumns(tree: StackTree): DataColumn[] {
  const sums = functionSums(tree);
  const percent = (of: (sum: (typeof sums)[number]) => number) => sums.map((sum) => (100 * of(sum)) / tree.samples);
  return [
    { name: 'Function', unit: 'none', values: sums.map(({ name }) => name) },
    { name: 'File', unit: 'none', values: sums.map(({ file }) => file || null) },
    { name: 'Self samples', unit: 'none', values: sums.map(({ self }) => self) },
    { name: 'Self', unit: '%', decimals: 1, values: percent(({ self }) => self) },
    { name: 'Total samples', unit: 'none', values: sums.map(({ total }) => total) },
    { name: 'Total', unit: '%', decimals: 1, values: percent(({ total }) => total) },
  ];
}
