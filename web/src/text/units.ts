/** Amounts for people: three significant digits and a unit, as the terminal writes them (src/report/tables/quantity.h). */

const kThin = '\u202f';
export const kAbsent = '–';

function threeDigits(value: number): string {
  const size = Math.abs(value);
  if (size >= 999.5) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

function scaled(value: number, step: number, units: readonly string[]): string {
  let index = 0;
  while (index + 1 < units.length && Math.abs(value) >= 0.9995 * step) {
    value /= step;
    ++index;
  }
  const whole = index === 0 && Number.isInteger(value);
  return `${whole ? value.toString() : threeDigits(value)}${kThin}${units[index]}`;
}

type Maybe = number | null | undefined;
const absent = (value: Maybe): value is null | undefined =>
  value === null || value === undefined || Number.isNaN(value);

/** "1.13 s", "306 µs" */
export const timeText = (ns: Maybe): string => (absent(ns) ? kAbsent : scaled(ns, 1000, ['ns', 'µs', 'ms', 's']));
/** Decimal, as the field counts rates: "2.88 MB" */
export const bytesText = (bytes: Maybe): string =>
  absent(bytes) ? kAbsent : scaled(bytes, 1000, ['B', 'KB', 'MB', 'GB', 'TB']);
export const rateText = (bytesPerSecond: Maybe): string =>
  absent(bytesPerSecond) ? kAbsent : scaled(bytesPerSecond, 1000, ['B/s', 'KB/s', 'MB/s', 'GB/s', 'TB/s']);
export const flopsText = (flopPerSecond: Maybe): string =>
  absent(flopPerSecond)
    ? kAbsent
    : scaled(flopPerSecond, 1000, ['FLOP/s', 'KFLOP/s', 'MFLOP/s', 'GFLOP/s', 'TFLOP/s', 'PFLOP/s']);
export const countText = (count: Maybe): string => (absent(count) ? kAbsent : count.toLocaleString('en-US'));
export const percentText = (percent: Maybe): string => (absent(percent) ? kAbsent : `${threeDigits(percent)}${kThin}%`);
/** "1 kernel", "2,000 kernels" */
export const counted = (count: number, noun: string): string => `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;

/** A moment with digits for what a screen of `visible` ns can tell apart: "1.234567 s". */
export function momentText(ns: number, visible: number): string {
  const units = [
    ['s', 1e9],
    ['ms', 1e6],
    ['µs', 1e3],
    ['ns', 1],
  ] as const;
  const size = Math.max(Math.abs(ns), visible);
  const [unit, weight] = units.find(([, w]) => size >= w) ?? units[3];
  const digits = Math.max(0, Math.min(9, Math.ceil(Math.log10(weight / Math.max(visible / 1000, 1)))));
  return `${(ns / weight).toFixed(digits)}${kThin}${unit}`;
}
