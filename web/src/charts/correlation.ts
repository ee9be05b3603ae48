/** How two quantities go together. Null for fewer than three points, or where one of them is the same everywhere. */

const kLeastPoints = 3;

export function pearson(x: readonly number[], y: readonly number[]): number | null {
  const count = x.length;
  if (count < kLeastPoints) return null;
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / count;
  const [mx, my] = [mean(x), mean(y)];
  let [xx, yy, xy] = [0, 0, 0];
  x.forEach((value, i) => {
    const [dx, dy] = [value - mx, y[i]! - my];
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  });
  return xx > 0 && yy > 0 ? xy / Math.sqrt(xx * yy) : null;
}

/** Ranks from 1; equal values share the mean of theirs. */
export function ranksOf(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const ranks = values.map(() => 0);
  for (let begin = 0; begin < order.length;) {
    let end = begin + 1;
    while (end < order.length && values[order[end]!] === values[order[begin]!]) ++end;
    for (let k = begin; k < end; ++k) ranks[order[k]!] = (begin + end + 1) / 2;
    begin = end;
  }
  return ranks;
}

/** Pearson's of the ranks: one point that is far from all others counts no more than any. */
export const spearman = (x: readonly number[], y: readonly number[]): number | null => pearson(ranksOf(x), ranksOf(y));

/** Pearson's without the point whose x is largest. */
export function pearsonWithoutLargest(x: readonly number[], y: readonly number[]): number | null {
  const largest = x.reduce((best, value, i) => (value > x[best]! ? i : best), 0);
  const others = (values: readonly number[]) => values.filter((_, i) => i !== largest);
  return pearson(others(x), others(y));
}
