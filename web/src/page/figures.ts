import type { GpuSummary, ProfileDocument, Steps, Summary } from '../data/format.ts';
import { counted, countText, kAbsent, percentText, timeText } from '../text/units.ts';

/** One figure of the strip on top: what it is, the amount, and what is to be known besides. */
export interface Figure {
  title: string;
  value: string;
  note: string;
}

export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2;
}

const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length;

export function stepDurations(steps: Steps): number[] {
  return steps.ranks.flatMap((rank) => rank.start_ns.map((start, i) => rank.end_ns[i]! - start));
}

/** From the first GPU work to the last. */
export function workingTime({ total_ns, set_up_ns, after_ns }: Summary): number {
  return total_ns - set_up_ns - after_ns;
}

function busyFigure(gpus: readonly GpuSummary[], total: number): Figure {
  if (gpus.length === 0) return { title: 'GPU busy', value: kAbsent, note: 'no GPU work recorded' };
  const shares = gpus.map((gpu) => (100 * gpu.busy_ns) / total);
  const mean = shares.reduce((a, b) => a + b, 0) / shares.length;
  const note =
    gpus.length === 1
      ? 'from the first GPU work to the last'
      : `mean of ${counted(gpus.length, 'GPU')}, ${percentText(Math.min(...shares))} to ${percentText(Math.max(...shares))}`;
  return { title: 'GPU busy', value: percentText(total > 0 ? mean : null), note };
}

function kernelsFigure({ summary }: ProfileDocument): Figure {
  const time = summary.kernel_time;
  if (!time) return { title: 'Kernels', value: kAbsent, note: 'none recorded' };
  const note = `${timeText(time.total_ns)} in total, ${timeText(time.average_ns)} on average`;
  return { title: 'Kernels', value: countText(time.count), note };
}

/**
 * ns. A launch on an idle GPU takes 5 to 20 us from the call to the start of the kernel; what takes several times as
 * long waits for earlier work.
 */
const kQueuedFrom = 100_000;

function latencyFigure({ summary }: ProfileDocument): Figure {
  const latency = summary.launch_latency;
  const title = 'Launch to start';
  if (!latency) return { title, value: kAbsent, note: 'no launching calls recorded' };
  const queued = latency.median_ns > kQueuedFrom ? '; mostly queued behind earlier GPU work' : '';
  return {
    title,
    value: timeText(latency.median_ns),
    note: `median; maximum ${timeText(latency.maximum_ns)}${queued}`,
  };
}

function stepsFigure({ summary, steps }: ProfileDocument): Figure {
  if (steps) {
    const turns = steps.ranks.reduce((most, rank) => Math.max(most, rank.start_ns.length), 0);
    const warm = steps.warm_up > 0 ? `, after ${countText(steps.warm_up)} of warm-up` : '';
    const mean = timeText(meanOf(stepDurations(steps)));
    const note = `median of ${countText(turns)} × ‘${steps.range}’${warm}; mean ${mean}`;
    return { title: 'Step', value: timeText(median(stepDurations(steps))), note };
  }
  const warm = summary.warm_up;
  if (!warm) return { title: 'Step', value: kAbsent, note: 'no steps found' };
  const note = `median of ${countText(warm.iterations)} × ‘${warm.range}’, the first ${countText(warm.slow_iterations)} slow`;
  return { title: 'Step', value: timeText(warm.median_ns), note };
}

function runFigure({ span_ns, summary }: ProfileDocument): Figure {
  if (span_ns === 0) return { title: 'Run', value: kAbsent, note: 'no times along a run recorded' };
  return { title: 'Run', value: timeText(span_ns), note: counted(summary.gpus.length, 'GPU') };
}

/** Percent of the run. A smaller part without GPU work is not worth a figure. */
const kLargeOutside = 10;

/** What no figure of the GPUs and no finding covers; null where that is little. */
function outsideFigure({ summary }: ProfileDocument): Figure | null {
  const { total_ns, set_up_ns, after_ns, gpus } = summary;
  const share = (ns: number): number => (100 * ns) / total_ns;
  if (gpus.length === 0 || total_ns === 0 || share(set_up_ns + after_ns) < kLargeOutside) return null;
  const note = `${timeText(set_up_ns)} before the first, ${timeText(after_ns)} after the last; in no finding`;
  return { title: 'Outside GPU work', value: percentText(share(set_up_ns + after_ns)), note };
}

/** What a profile is in five or six numbers. */
export function figuresOf(profile: ProfileDocument): Figure[] {
  const { summary } = profile;
  const outside = outsideFigure(profile);
  return [
    runFigure(profile),
    ...(outside ? [outside] : []),
    busyFigure(summary.gpus, workingTime(summary)),
    stepsFigure(profile),
    kernelsFigure(profile),
    latencyFigure(profile),
  ];
}

/** Parts of a GPU's time, which add up to the run's: percentages. */
export interface GpuShares {
  kernels: number;
  /** Copies and sets with no kernel beside them. */
  other: number;
  idle: number;
}

export function gpuShares(gpu: GpuSummary, total: number): GpuShares | null {
  if (total <= 0) return null;
  const share = (ns: number): number => (100 * ns) / total;
  const kernels = Math.min(gpu.kernel_ns, gpu.busy_ns);
  return { kernels: share(kernels), other: share(gpu.busy_ns - kernels), idle: share(total - gpu.busy_ns) };
}
