import type { Category, Copies } from '../data/format.ts';
import type { Shape } from './shapes.tsx';

/** What was reached over all copies of a row; null where size or time is not known. */
export function bandwidthOf(copies: Copies, row: number): number | null {
  const bytes = copies.bytes[row] ?? null;
  const ns = copies.total_ns[row]!;
  return bytes === null || ns <= 0 ? null : (bytes * copies.count[row]!) / (ns / 1e9);
}

/** The kind of the host's memory in a copy between host and GPU; null where it is not known or there is none. */
export function hostMemoryOf(copies: Copies, row: number): string | null {
  const kinds = [copies.source[row] ?? null, copies.destination[row] ?? null];
  return kinds.find((kind) => kind !== null && kind !== 'device') ?? null;
}

export const kShapes: readonly { kind: string | null; title: string; shape: Shape }[] = [
  { kind: 'pinned', title: 'pinned host memory', shape: 'circle' },
  { kind: 'pageable', title: 'pageable host memory', shape: 'triangle' },
  { kind: null, title: 'other or unknown', shape: 'diamond' },
];

export const shapeOf = (kind: string | null): Shape =>
  (kShapes.find((entry) => entry.kind === kind) ?? kShapes.at(-1)!).shape;

export interface CopySum {
  title: string;
  category: Category;
  count: number;
  /** Of the copies whose size is known; null where none is. */
  bytes: number | null;
  total_ns: number;
  bytes_per_s: number | null;
}

/** Sums by what a row is called, most bytes first; rows that have no name do not count. */
export function copySums(copies: Copies, titleOf: (row: number) => string | null): CopySum[] {
  const sums = new Map<string, CopySum & { sized_ns: number }>();
  copies.count.forEach((count, row) => {
    const title = titleOf(row);
    if (title === null) return;
    const fresh = {
      title,
      category: copies.category[row]!,
      count: 0,
      bytes: null,
      total_ns: 0,
      sized_ns: 0,
      bytes_per_s: null,
    };
    const sum = sums.get(title) ?? fresh;
    sums.set(title, sum);
    const bytes = copies.bytes[row] ?? null;
    sum.count += count;
    sum.total_ns += copies.total_ns[row]!;
    if (bytes === null) return;
    sum.bytes = (sum.bytes ?? 0) + bytes * count;
    sum.sized_ns += copies.total_ns[row]!;
    sum.bytes_per_s = sum.sized_ns > 0 ? sum.bytes / (sum.sized_ns / 1e9) : null;
  });
  return [...sums.values()]
    .map(({ sized_ns: _, ...sum }) => sum)
    .sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0) || b.total_ns - a.total_ns);
}

const isHostCopy = (category: Category): boolean => category === 'copy_h2d' || category === 'copy_d2h';

export const sumsByDirection = (copies: Copies): CopySum[] => copySums(copies, (row) => copies.direction[row]!);

/** Of copies between host and GPU alone. */
export const sumsByMemory = (copies: Copies): CopySum[] =>
  copySums(copies, (row) => (isHostCopy(copies.category[row]!) ? (hostMemoryOf(copies, row) ?? 'unknown') : null));
