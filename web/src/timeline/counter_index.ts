import type { CounterPoints } from '../data/slices.ts';
import { gallop, lowerBound } from './row_index.ts';

/** The lowest and highest value of any span of a counter, without going over all its points. Pure. */
export interface CounterIndex {
  points: CounterPoints;
  least: Float64Array;
  most: Float64Array;
}

const kBlock = 64;

export function indexCounter(points: CounterPoints): CounterIndex {
  const { value } = points;
  const blocks = Math.ceil(value.length / kBlock);
  const least = new Float64Array(blocks).fill(Infinity);
  const most = new Float64Array(blocks).fill(-Infinity);
  value.forEach((v, i) => {
    const block = Math.floor(i / kBlock);
    if (v < least[block]!) least[block] = v;
    if (v > most[block]!) most[block] = v;
  });
  return { points, least, most };
}

/** Of the points [begin, end); [Infinity, -Infinity] where there is none. */
export function extremes({ points, least, most }: CounterIndex, begin: number, end: number): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = begin; i < end;) {
    const block = i / kBlock;
    const whole = Number.isInteger(block) && i + kBlock <= end;
    const [a, b] = whole ? [least[block]!, most[block]!] : [points.value[i]!, points.value[i]!];
    if (a < low) low = a;
    if (b > high) high = b;
    i += whole ? kBlock : 1;
  }
  return [low, high];
}

/**
 * Highest and lowest value of each pixel column, with the one that holds on from before; NaN before the first point.
 * Column k shows [start + k * step, start + (k + 1) * step).
 */
export function counterColumns(
  index: CounterIndex,
  start: number,
  step: number,
  low: Float64Array,
  high: Float64Array,
) {
  const { time, value } = index.points;
  let i = lowerBound(time, 0, time.length, start);
  for (let k = 0; k < low.length; ++k) {
    const after = gallop(time, i, time.length, start + (k + 1) * step);
    const held = i > 0 && !(time[i] === start + k * step) ? value[i - 1]! : NaN;
    const [least, most] = extremes(index, i, after);
    low[k] = Number.isNaN(held) ? (least === Infinity ? NaN : least) : Math.min(least, held);
    high[k] = Number.isNaN(held) ? (most === -Infinity ? NaN : most) : Math.max(most, held);
    i = after;
  }
}

/** The value that holds at a time, undefined before the first. */
export function valueAt(points: CounterPoints, time: number): number | undefined {
  const i = lowerBound(points.time, 0, points.time.length, time);
  return points.time[i] === time ? points.value[i] : points.value[i - 1];
}
