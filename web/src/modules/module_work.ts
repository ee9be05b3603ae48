import type { Modules, ModuleWork } from '../data/format.ts';
import type { Frames, StackNames } from '../stacks/stack_tree.ts';
import { shortKernelNames } from '../text/kernel_names.ts';
import { timeText } from '../text/units.ts';
import type { WeightOf } from './module_tree.ts';

/** What stands for work outside any module. */
export const kNoModule = 'outside any module';

/** Modules with their kernels and copies below them. Only those take GPU time themselves. Pure. */
export interface WorkFrames extends Frames {
  /** The exact name of a kernel or copy by the one that is shown. */
  exact: ReadonlyMap<string, string>;
}

export const kGpuTime: WeightOf<StackNames> = {
  key: 'device',
  title: 'GPU time',
  values: ({ total }) => total,
  outside: () => null,
  text: timeText,
};

/** The tree of modules, then work outside them if there is any, then a row for each row of `work`. */
export function workFrames(modules: Modules, work: ModuleWork): WorkFrames {
  const short = shortKernelNames(work.names);
  const rows = modules.name.length;
  const outside = work.module.reduce((sum, module, i) => (module < 0 ? sum + work.device_ns[i]! : sum), 0);
  const none = work.module.some((module) => module < 0) ? [kNoModule] : [];
  const leaves = work.name.map((name) => short.get(work.names[name]!)!);
  return {
    name: [...modules.name, ...none, ...leaves],
    file: [...modules.domain, ...none.map(() => ''), ...leaves.map(() => 'GPU')],
    parent: [...modules.parent, ...none.map(() => -1), ...work.module.map((module) => (module < 0 ? rows : module))],
    self: [...modules.name.map(() => 0), ...none.map(() => 0), ...work.device_ns],
    total: [...modules.device_total_ns, ...none.map(() => outside), ...work.device_ns],
    exact: new Map([...short].map(([exact, shown]) => [shown, exact])),
  };
}
