import type { Category, Kernels } from '../data/format.ts';
import { sumOf } from './thin.ts';

export interface KernelSum {
  name: string;
  category: Category;
  count: number;
  total_ns: number;
  /** The row of Kernels with the longest launch of it. */
  row: number;
}

/** Time by name, over all launch shapes, most first. Rows without a time do not count. */
export function kernelSums(kernels: Kernels): KernelSum[] {
  const byName = new Map<string, KernelSum>();
  kernels.name.forEach((name, row) => {
    const total_ns = kernels.total_ns[row] ?? null;
    if (total_ns === null) return;
    const sum = byName.get(name);
    const count = kernels.count[row]!;
    if (!sum) return void byName.set(name, { name, category: kernels.category[row]!, count, total_ns, row });
    if ((kernels.maximum_ns[row] ?? 0) > (kernels.maximum_ns[sum.row] ?? 0)) sum.row = row;
    sum.count += count;
    sum.total_ns += total_ns;
  });
  return [...byName.values()].sort((a, b) => b.total_ns - a.total_ns);
}

/** The first, and what the others have together; null where there are no others. */
export function withRest(
  sums: readonly KernelSum[],
  most: number,
): { first: KernelSum[]; rest: { names: number; total_ns: number } | null } {
  const others = sums.slice(most);
  if (others.length === 0) return { first: [...sums], rest: null };
  return {
    first: sums.slice(0, most),
    rest: { names: others.length, total_ns: sumOf(others.map((sum) => sum.total_ns)) },
  };
}
