import { useMemo, useState } from 'preact/hooks';
import { ChartFrame, SearchField, Select } from '../charts/chart_frame.tsx';
import { present, Sides, WhenLoaded } from '../charts/sides.tsx';
import type { Fact } from '../charts/tooltip.tsx';
import { useSections } from '../charts/use_sections.ts';
import type { Modules, ModuleWork } from '../data/format.ts';
import type { Profile, Report } from '../data/report.ts';
import { FlameGraph, type FlameGraphWords } from '../stacks/flame_graph.tsx';
import type { StackNames } from '../stacks/stack_tree.ts';
import { counted, timeText } from '../text/units.ts';
import { kGpuTime, workFrames } from './module_work.ts';

const kFromModules = 'modules';
const kOrders = [
  { key: kFromModules, title: 'modules (kernels below)' },
  { key: 'inverted', title: 'kernels (inverted)' },
];

const kWords: FlameGraphWords = {
  one: 'name',
  all: 'all GPU work',
  outside: '',
  weight: kGpuTime,
  found: 'block',
  ofAll: 'of GPU time',
  summary: 'Kernels of modules by GPU time.',
};

interface WorkSide {
  profile: Profile;
  modules: Modules;
  work: ModuleWork;
}

/** Which kernels a module launches, and which modules a kernel is launched by. */
export function ModuleWorkView({
  report,
  modules,
  exact,
}: {
  report: Report;
  /** Whether `modules` have exact names. */
  exact: boolean;
  modules: readonly { profile: Profile; data: Modules }[];
}) {
  return (
    <WhenLoaded loaded={useSections(report, exact ? 'module_work_exact' : 'module_work')}>
      {(loaded) => {
        const sides = present(loaded).flatMap(({ profile, data }): WorkSide[] => {
          const of = modules.find((side) => side.profile === profile);
          return of ? [{ profile, modules: of.data, work: data }] : [];
        });
        return sides.length > 0 ? <WorkSection sides={sides} /> : null;
      }}
    </WhenLoaded>
  );
}

function WorkSection({ sides }: { sides: readonly WorkSide[] }) {
  const [order, setOrder] = useState(kFromModules);
  const [text, setText] = useState('');
  const controls = (
    <>
      <Select label="From" choices={kOrders} value={order} onChoose={setOrder} />
      <SearchField value={text} onSearch={setText} />
    </>
  );
  return (
    <ChartFrame title="Kernels of modules by GPU time" controls={controls}>
      <Sides sides={sides}>
        {(side) => <Work key={order} {...side} turned={order !== kFromModules} text={text} />}
      </Sides>
      <p class="sonde-muted sonde-hint">
        Kernels, copies and memsets are below the module that launched them. Inverted: each kernel is at the top, and
        below it are the modules that launched it. Concurrent kernels share their time equally.
      </p>
    </ChartFrame>
  );
}

function Work({ modules, work, turned, text }: WorkSide & { turned: boolean; text: string }) {
  const frames = useMemo(() => workFrames(modules, work), [modules, work]);
  const whole = work.device_ns.reduce((sum, ns) => sum + ns, 0);
  const factsOf = (names: StackNames, row: number): Fact[] => {
    const exact = frames.exact.get(names.name[row]!);
    const kind = names.domain[row] === 'GPU' ? (exact === names.name[row] ? undefined : exact) : names.domain[row];
    return kind ? [[names.domain[row] === 'GPU' ? 'name' : 'domain', kind]] : [];
  };
  return (
    <FlameGraph
      {...{ frames, whole, turned, text, factsOf }}
      words={kWords}
      says={`${counted(work.names.length, 'name')} in ${counted(modules.name.length, 'module')}; the whole width is ${timeText(whole)} of GPU time.`}
    />
  );
}
