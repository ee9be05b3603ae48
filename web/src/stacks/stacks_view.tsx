import '../modules/modules.css';
import '../charts/charts.css';
import { useMemo, useState } from 'preact/hooks';
import { ChartFrame, Select } from '../charts/chart_frame.tsx';
import { Absent, present, Sides, WhenLoaded } from '../charts/sides.tsx';
import type { Fact } from '../charts/tooltip.tsx';
import { useSections, type Side } from '../charts/use_sections.ts';
import type { Stacks, StackTree } from '../data/format.ts';
import type { Report } from '../data/report.ts';
import { Breadcrumb } from '../modules/breadcrumb.tsx';
import { FlameChart, type FlameWords } from '../modules/flame_chart.tsx';
import {
  keyOf,
  matchesOf,
  rowAtPath,
  rowsAbove,
  treeOf,
  weightOfRows,
  widthOf,
  widthsOf,
} from '../modules/module_tree.ts';
import { DataTable, type DataColumn } from '../tables/data_table.tsx';
import { counted, countText, percentText } from '../text/units.ts';
import { functionSums, inverted, kSamples, namesOf } from './stack_tree.ts';

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
      <label>
        Search{' '}
        <input
          type="search"
          value={text}
          placeholder="part of a name"
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
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
          {({ tree }) => <StackFlame key={title + order} tree={tree} turned={order !== kFromThreads} text={text} />}
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

const kWords: FlameWords = { one: 'function', all: 'all samples', outside: '' };

function StackFlame({ tree: recorded, turned, text }: { tree: StackTree; turned: boolean; text: string }) {
  const [path, setPath] = useState<readonly string[]>([]);
  const tree = useMemo(() => treeOf(namesOf(turned ? inverted(recorded) : recorded)), [recorded, turned]);
  const widths = useMemo(() => widthsOf(tree, kSamples), [tree]);
  const names = tree.modules;
  const matches = useMemo(() => matchesOf(names, text), [names, text]);
  const onZoom = useMemo(
    () => (row: number) => setPath(rowsAbove(names, row).map((above) => keyOf(names, above))),
    [names],
  );
  const top = rowAtPath(tree, path) ?? -1;
  const percent = (value: number) => percentText((100 * value) / recorded.samples);
  const facts = (row: number): Fact[] => {
    if (row < 0) return [['samples', countText(recorded.samples)]];
    const of = (value: number) => `${countText(value)} (${percent(value)})`;
    return [
      ['samples', of(names.total[row]!)],
      ...(turned ? [] : [['in the function itself', of(names.self[row]!)] as const]),
      ['file', names.domain[row] || '–'],
    ];
  };
  const says = matches
    ? `${counted(matches.size, 'frame')} found, with ${percent(weightOfRows(tree, widths, matches))} of the samples.`
    : `${counted(recorded.samples, 'sample')} with a call stack.`;
  return (
    <>
      <p class="sonde-caption">{says}</p>
      <div>
        <Breadcrumb modules={names} all={kWords.all} top={top} onZoom={onZoom} />
        <FlameChart
          {...{ tree, widths, top, matches, onZoom, facts }}
          weight={kSamples}
          words={kWords}
          order="weight"
          shown={widthOf(widths, top)}
          summary={`Call stacks by samples. ${says}`}
        />
      </div>
    </>
  );
}

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
