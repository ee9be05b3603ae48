import type { StackTree } from '../data/format.ts';
import type { Named, WeightOf } from '../modules/module_tree.ts';
import { countText } from '../text/units.ts';

/** Call stacks as the flame chart and the table show them. Pure. */

/** A tree without a title: of call stacks, or of modules and their kernels. */
export type Frames = Pick<StackTree, 'name' | 'file' | 'parent' | 'self' | 'total'>;

/** A tree of functions by their samples. */
export interface StackNames extends Named {
  self: readonly number[];
  total: readonly number[];
}

export const namesOf = ({ name, file, parent, self, total }: Frames): StackNames => ({
  name,
  domain: file,
  parent,
  self,
  total,
  // A tree over all of the run has no order in time.
  first_ns: name.map((_, row) => row),
});

export const kSamples: WeightOf<StackNames> = {
  key: 'samples',
  title: 'samples',
  values: ({ total }) => total,
  outside: () => null,
  text: (value) => `${countText(value)} ${value === 1 ? 'sample' : 'samples'}`,
};

/** The tree from the sampled functions to what called them. */
export function inverted(tree: Frames): Frames {
  const turned: Frames = { name: [], file: [], parent: [], self: [], total: [] };
  const rows = new Map<string, number>();
  const rowOf = (parent: number, from: number): number => {
    const key = `${parent}\n${tree.name[from]!}\n${tree.file[from]!}`;
    const known = rows.get(key);
    if (known !== undefined) return known;
    rows.set(key, turned.name.length);
    turned.name.push(tree.name[from]!);
    turned.file.push(tree.file[from]!);
    turned.parent.push(parent);
    turned.self.push(0);
    turned.total.push(0);
    return turned.name.length - 1;
  };
  tree.self.forEach((samples, row) => {
    if (samples === 0) return;
    let at = -1;
    for (let from = row; from >= 0; from = tree.parent[from]!) {
      at = rowOf(at, from);
      turned.total[at]! += samples;
    }
    turned.self[at]! += samples;
  });
  return turned;
}

export interface FunctionSum {
  name: string;
  file: string;
  self: number;
  /** With all that it called; a function within itself counts once. */
  total: number;
}

/** By function and file, those first in which most samples were taken. Threads are no functions. */
export function functionSums(tree: Frames): FunctionSum[] {
  const sums = new Map<string, FunctionSum>();
  const keys = tree.name.map((name, row) => `${name}\n${tree.file[row]!}`);
  const within = (row: number): boolean => {
    for (let at = tree.parent[row]!; at >= 0; at = tree.parent[at]!) if (keys[at] === keys[row]) return true;
    return false;
  };
  keys.forEach((key, row) => {
    if (tree.parent[row]! < 0) return;
    const sum = sums.get(key) ?? { name: tree.name[row]!, file: tree.file[row]!, self: 0, total: 0 };
    sums.set(key, sum);
    sum.self += tree.self[row]!;
    if (!within(row)) sum.total += tree.total[row]!;
  });
  return [...sums.values()].sort((a, b) => b.self - a.self || b.total - a.total);
}
