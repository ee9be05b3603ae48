/** Points that a chart draws before it leaves some out. */
export const kMostPoints = 5000;

/** Indexes of the `most` heaviest, in their order; of equal weight the first. */
export function heaviest(weights: readonly number[], most: number): number[] {
  const all = weights.map((_, index) => index);
  if (all.length <= most) return all;
  return all
    .sort((a, b) => weights[b]! - weights[a]! || a - b)
    .slice(0, most)
    .sort((a, b) => a - b);
}

/** Runs of neighbours, as even as can be, no more than `most`: [begin, end) each. */
export function bins(count: number, most: number): [begin: number, end: number][] {
  const size = Math.max(1, Math.ceil(count / Math.max(1, most)));
  return Array.from({ length: Math.ceil(count / size) }, (_, i) => [i * size, Math.min(count, (i + 1) * size)]);
}

export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

/** At least 0; of as many values as there are, which arguments of a call are not. */
export function greatestOf(values: Iterable<number>): number {
  let greatest = 0;
  for (const value of values) greatest = Math.max(greatest, value);
  return greatest;
}

export const sumOf = (values: Iterable<number | null>): number => {
  let sum = 0;
  for (const value of values) sum += value ?? 0;
  return sum;
};
