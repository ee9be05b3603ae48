/** From values to places on the screen, and the values that an axis names. */

export interface Scale {
  log: boolean;
  low: number;
  high: number;
  /** Pixels at low and at high. */
  from: number;
  to: number;
}

export type Domain = readonly [low: number, high: number];

/** Where a value stands, 0 at low and 1 at high; beyond both for values outside. */
export function fractionOf(scale: Pick<Scale, 'log' | 'low' | 'high'>, value: number): number {
  const { log, low, high } = scale;
  if (!log) return (value - low) / (high - low);
  return Math.log(value / low) / Math.log(high / low);
}

export const positionOf = (scale: Scale, value: number): number =>
  scale.from + fractionOf(scale, value) * (scale.to - scale.from);

const kNice = [1, 2, 5, 10];

/** The least of 1, 2 and 5 times a power of ten that is `value` or more. */
export function niceAbove(value: number): number {
  const power = powerBelow(value);
  return power * kNice.find((n) => n * power >= value * (1 - 1e-12))!;
}

/** The greatest that is `value` or less. */
export function niceBelow(value: number): number {
  const power = powerBelow(value);
  return power * kNice.findLast((n) => n * power <= value * (1 + 1e-12))!;
}

/** By the digits of the number: logarithms are off by one unit in the last place at powers of ten. */
const powerBelow = (value: number): number => Number(`1e${value.toExponential().split('e')[1]}`);

/** From 0 to a tick at or above the greatest value. */
export function linearDomain(values: Iterable<number>): Domain {
  let most = 0;
  for (const value of values) if (Number.isFinite(value) && value > most) most = value;
  if (most === 0) return [0, 1];
  const step = niceAbove(most / 5);
  return [0, step * Math.ceil((most / step) * (1 - 1e-12))];
}

/** From a nice value below the least to one above the greatest; leaves out what a logarithm cannot show. */
export function logDomain(values: Iterable<number>): Domain {
  let least = Infinity;
  let most = 0;
  for (const value of values) {
    if (!(value > 0) || !Number.isFinite(value)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (most === 0) return [1, 10];
  const low = niceBelow(least / 1.4);
  return [low, Math.max(niceAbove(most * 1.4), low * 10)];
}

export function ticksOf(scale: Pick<Scale, 'log' | 'low' | 'high'>, most: number): number[] {
  return scale.log ? logTicks(scale.low, scale.high, most) : linearTicks(scale.low, scale.high, most);
}

export function linearTicks(low: number, high: number, most: number): number[] {
  if (!(high > low)) return [low];
  const step = niceAbove((high - low) / Math.max(1, most));
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  // Multiples of whole numbers: sums of 0.1 would drift.
  const perUnit = 1 / step;
  return Array.from({ length: last - first + 1 }, (_, i) =>
    step < 1 ? (first + i) / Math.round(perUnit) : (first + i) * step,
  );
}

/** Powers of ten; with 2 and 5 between them where there is room, only each n-th where there is none. */
export function logTicks(low: number, high: number, most: number): number[] {
  const first = Math.round(Math.log10(powerBelow(low)));
  const last = Math.ceil(Math.log10(high) + 1e-9);
  const steps = 3 * (last - first) <= most ? [1, 2, 5] : [1];
  const each = steps.length > 1 ? 1 : Math.max(1, Math.ceil((last - first) / Math.max(1, most)));
  const ticks: number[] = [];
  for (let power = Math.floor(first / each) * each; power <= last; power += each)
    for (const step of steps) ticks.push(step * Number(`1e${power}`));
  return ticks.filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
}

/** An amount as axes write it: "1 ms" where text says "1.00 ms". */
export const tickText = (text: string): string =>
  text.replace(/\.(\d*?)0+(?!\d)/, (_, kept: string) => (kept ? `.${kept}` : ''));
