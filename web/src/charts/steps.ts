import type { ProfileDocument, StepsOfRank } from '../data/format.ts';
import type { Column } from './columns_chart.tsx';
import { bins, greatestOf, median, sumOf } from './thin.ts';

/** A step that takes longer than this times the median stands out; the warm-up is told by the same factor. */
export const kOutlier = 1.25;

export interface RankSteps {
  /** Timeline.ranks */
  rank: number;
  gpus: number;
  steps: StepsOfRank;
  length_ns: number[];
  /** Mean over the rank's GPUs, so that it compares with the length. */
  busy_ns: number[];
  median_ns: number | null;
  outliers: number[];
}

/** GPUs of a rank that have tracks; at least as many as their busy time takes. */
export function gpusOf(profile: ProfileDocument, steps: StepsOfRank): number {
  const tracks = profile.timeline.tracks.filter(
    (track) => track.rank === steps.rank && (track.kind === 'gpu' || track.kind === 'idle'),
  );
  const places = new Set(tracks.map((track) => track.place));
  const needed = steps.gpu_busy_ns.map((busy, i) =>
    Math.ceil(busy / Math.max(1, steps.end_ns[i]! - steps.start_ns[i]!)),
  );
  return Math.max(1, places.size, greatestOf(needed));
}

export function rankSteps(profile: ProfileDocument, steps: StepsOfRank): RankSteps {
  const gpus = gpusOf(profile, steps);
  const length_ns = steps.start_ns.map((start, i) => steps.end_ns[i]! - start);
  const median_ns = median(length_ns);
  const outliers = length_ns.flatMap((ns, i) => (median_ns !== null && ns > kOutlier * median_ns ? [i] : []));
  return {
    rank: steps.rank,
    gpus,
    steps,
    length_ns,
    busy_ns: steps.gpu_busy_ns.map((ns) => ns / gpus),
    median_ns,
    outliers,
  };
}

/** What a bar shows: of neighbours that share one, the longest, so that outliers stay. */
export function barSteps(lengths: readonly number[], most: number): { begin: number; end: number; step: number }[] {
  return bins(lengths.length, most).map(([begin, end]) => {
    let step = begin;
    for (let i = begin; i < end; ++i) if (lengths[i]! > lengths[step]!) step = i;
    return { begin, end, step };
  });
}

/** On an axis that counts steps from `first`. */
export function stepColumns(rank: RankSteps, most: number, first: number): { columns: Column[]; step: number[] } {
  const bars = barSteps(rank.length_ns, most);
  const outliers = new Set(rank.outliers);
  const columns = bars.map(({ begin, end, step }): Column => {
    const busy = rank.busy_ns[step]!;
    return {
      begin: first + begin,
      end: first + end,
      parts: [
        { category: 'kernel', value: busy },
        { category: 'idle_other', value: Math.max(0, rank.length_ns[step]! - busy) },
      ],
      outlier: outliers.has(step),
    };
  });
  return { columns, step: bars.map((bar) => bar.step) };
}

/** Of neighbouring steps over all ranks: least, median and most length, and which one has the most. */
export interface StepSpread {
  begin: number;
  end: number;
  minimum: number;
  median: number;
  maximum: number;
  slowest: { rank: RankSteps; step: number };
}

export function stepSpreads(ranks: readonly RankSteps[], most: number): StepSpread[] {
  const count = ranks.reduce((longest, rank) => Math.max(longest, rank.length_ns.length), 0);
  return bins(count, most).map(([begin, end]) => {
    const all = ranks.flatMap((rank) =>
      rank.length_ns.slice(begin, end).map((ns, i) => ({ ns, rank, step: begin + i })),
    );
    const slowest = all.reduce((a, b) => (b.ns > a.ns ? b : a));
    const minimum = all.reduce((least, { ns }) => Math.min(least, ns), Infinity);
    return { begin, end, minimum, median: median(all.map(({ ns }) => ns))!, maximum: slowest.ns, slowest };
  });
}

/** Part of the GPUs' time in which they work, over all steps of the ranks. */
export function busyPercent(ranks: readonly RankSteps[]): number | null {
  const whole = sumOf(ranks.map((rank) => rank.gpus * sumOf(rank.length_ns)));
  return whole > 0 ? (100 * sumOf(ranks.map((rank) => sumOf(rank.steps.gpu_busy_ns)))) / whole : null;
}
