import type { Modules } from '../data/format.ts';
import { bytesText, countText, timeText } from '../text/units.ts';

/** What a tree of names has: modules, or the functions of call stacks. */
export type Named = Pick<Modules, 'name' | 'domain' | 'parent' | 'first_ns'>;

/** What the width of a module means. All of them count what lies inside the module, too. */
export interface WeightOf<M extends Named> {
  key: string;
  title: string;
  values: (modules: M) => readonly number[];
  /** What belongs to no module; null where that is not known. */
  outside: (modules: M) => number | null;
  text: (value: number) => string;
}
export type Weight = WeightOf<Modules>;

export const kWeights: readonly Weight[] = [
  {
    key: 'device',
    title: 'GPU time',
    values: (m) => m.device_total_ns,
    outside: (m) => m.outside.device_ns,
    text: timeText,
  },
  {
    key: 'host',
    title: 'host time',
    values: (m) => m.host_ns.map((ns) => ns ?? 0),
    outside: () => null,
    text: timeText,
  },
  { key: 'idle', title: 'GPU idle time', values: (m) => m.idle_ns, outside: (m) => m.outside.idle_ns, text: timeText },
  {
    key: 'launches',
    title: 'launches',
    values: (m) => m.launches,
    outside: (m) => m.outside.launches,
    text: countText,
  },
  { key: 'copied', title: 'copied bytes', values: (m) => m.copy_bytes, outside: () => null, text: bytesText },
];

/** What the modules are first shown by: GPU time, or host time where nothing ran on a GPU. */
export const firstWeight = (all: readonly Modules[]): Weight =>
  kWeights.find(({ key }) => key === (all.some(hasGpuWork) ? 'device' : 'host'))!;

/** Whether anything on a GPU was recorded; without it, GPU columns are unknown and not 0. */
export const hasGpuWork = ({ whole }: Modules): boolean => whole.device_ns > 0 || whole.launches > 0;

/** The rows of the tree that stand for no module: all that was recorded, and what belongs to none. */
export const kRoot = -1;
export const kOutside = -2;

export interface ModuleTree<M extends Named = Modules> {
  modules: M;
  /** Rows of the top. */
  roots: number[];
  children: number[][];
}

export function treeOf<M extends Named>(modules: M): ModuleTree<M> {
  const roots: number[] = [];
  const children: number[][] = modules.name.map(() => []);
  modules.parent.forEach((parent, row) => (parent < 0 ? roots : children[parent]!).push(row));
  return { modules, roots, children };
}

/**
 * The width of each module: its value, or what its children have together where that is more (host time of a backward
 * operator is not within that of its forward operator), so that children always fit.
 */
export interface Widths {
  of: Float64Array;
  outside: number;
  whole: number;
}

export function widthsOf<M extends Named>(tree: ModuleTree<M>, weight: WeightOf<M>): Widths {
  const values = weight.values(tree.modules);
  const inside = new Float64Array(values.length);
  const of = new Float64Array(values.length);
  let top = 0;
  for (let row = values.length - 1; row >= 0; --row) {
    of[row] = Math.max(values[row]!, inside[row]!, 0);
    const parent = tree.modules.parent[row]!;
    if (parent < 0) top += of[row]!;
    else inside[parent]! += of[row]!;
  }
  const outside = Math.max(0, weight.outside(tree.modules) ?? 0);
  return { of, outside, whole: top + outside };
}

export const widthOf = (widths: Widths, row: number): number =>
  row === kRoot ? widths.whole : row === kOutside ? widths.outside : widths.of[row]!;

/** Rows from the top down to this one; none for the top itself. */
export function rowsAbove(modules: Named, row: number): number[] {
  const rows: number[] = [];
  for (let at = row; at >= 0; at = modules.parent[at]!) rows.push(at);
  return rows.reverse();
}

/** What tells a module from its siblings. */
export const keyOf = (modules: Named, row: number): string => `${modules.domain[row]!}\n${modules.name[row]!}`;

/** The row at this path of keys, or null: how a place of one profile is found in the other. */
export function rowAtPath(tree: ModuleTree<Named>, path: readonly string[]): number | null {
  let row = kRoot;
  for (const key of path) {
    const children = row === kRoot ? tree.roots : tree.children[row]!;
    const next = children.find((child) => keyOf(tree.modules, child) === key);
    if (next === undefined) return null;
    row = next;
  }
  return row;
}

/** Longer paths are cut: nested names of thousands of characters would multiply. */
const kMostPath = 2000;

/** Paths with "/" of all modules; parents come before their children. */
export function pathTexts(modules: Named): string[] {
  const texts: string[] = [];
  modules.name.forEach((name, row) => {
    const parent = modules.parent[row]!;
    const text = parent < 0 ? name : `${texts[parent]!}/${name}`;
    texts.push(text.length <= kMostPath ? text : `${text.slice(0, kMostPath / 2)}…${text.slice(-kMostPath / 2)}`);
  });
  return texts;
}

/** Rows whose name holds the text, in any case; null for no text. */
export function matchesOf(modules: Named, text: string): Set<number> | null {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return null;
  const rows = new Set<number>();
  modules.name.forEach((name, row) => {
    if (name.toLowerCase().includes(wanted)) rows.add(row);
  });
  return rows;
}

/** What the rows have together; a row inside another one of them counts once. */
export function weightOfRows(tree: ModuleTree<Named>, widths: Widths, rows: ReadonlySet<number>): number {
  const { parent } = tree.modules;
  const covered = new Uint8Array(parent.length);
  let sum = 0;
  parent.forEach((above, row) => {
    const inside = above >= 0 && covered[above] === 1;
    if (rows.has(row) && !inside) sum += widths.of[row]!;
    covered[row] = inside || rows.has(row) ? 1 : 0;
  });
  return sum;
}
