import { lengthOf, type Span } from './viewport.ts';

export interface Tick {
  time: number;
  text: string;
}

/** 1, 2 or 5 times a power of ten: the first that is not below `least` ns. */
export function tickStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= least)!;
}

const kUnits = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
  ['ns', 1],
] as const;

/** A tick's text: one unit for all ticks of the axis, with as many digits as the step needs. */
export function tickText(time: number, step: number, largest: number): string {
  if (time === 0) return '0';
  const [unit, weight] = kUnits.find(([, w]) => largest >= w) ?? kUnits[3];
  const digits = Math.max(0, Math.ceil(Math.log10(weight / step) - 1e-9));
  return `${(time / weight).toFixed(digits)}\u202f${unit}`;
}

/** Ticks at whole multiples of a round step, at least `apart` pixels from one another. */
export function ticks(view: Span, width: number, apart = 120): Tick[] {
  if (width <= 0) return [];
  const step = tickStep((lengthOf(view) * apart) / width);
  const largest = Math.max(Math.abs(view.start), Math.abs(view.end));
  const found: Tick[] = [];
  for (let k = Math.ceil(view.start / step); k * step <= view.end; ++k) {
    const time = k * step + 0;
    found.push({ time, text: tickText(time, step, largest) });
  }
  return found;
}
