import { clockText, dayText } from '../text/format.ts';

const kMinute = 60;
const kHour = 3600;
const kDay = 86_400;
/** Distances of ticks that people read easily, s. */
const kSteps = [
  60,
  120,
  300,
  600,
  900,
  1800,
  kHour,
  2 * kHour,
  3 * kHour,
  6 * kHour,
  12 * kHour,
  kDay,
  2 * kDay,
  5 * kDay,
  10 * kDay,
];

/** Whole minutes, hours and days of local time between two moments (seconds since 1970). */
export function timeTicks(low: number, high: number, most: number): number[] {
  if (!(high > low)) return [low];
  const step = kSteps.find((candidate) => (high - low) / candidate <= Math.max(1, most)) ?? kSteps.at(-1)!;
  // Days begin at local midnight.
  const shift = new Date(low * 1000).getTimezoneOffset() * kMinute;
  const ticks: number[] = [];
  for (let tick = Math.ceil((low - shift) / step) * step + shift; tick <= high; tick += step) ticks.push(tick);
  return ticks;
}

/** As a tick of an axis that spans so many seconds. */
export function timeTickText(seconds: number, span: number): string {
  const at = new Date(seconds * 1000);
  if (span > 2 * kDay) return dayText(at).slice(5);
  return clockText(at, span < 5 * kMinute);
}
