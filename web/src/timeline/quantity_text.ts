import { bytesText, countText, percentText, rateText, timeText } from '../text/units.ts';

const kTexts: Record<string, (value: number) => string> = {
  B: bytesText,
  bytes: bytesText,
  'B/s': rateText,
  'bytes/s': rateText,
  '%': percentText,
  ns: timeText,
};

/** A counter's value with its unit. */
export function quantityText(value: number | undefined, unit: string): string {
  if (value === undefined || Number.isNaN(value)) return countText(null);
  const known = kTexts[unit];
  if (known) return known(value);
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 2;
  const text = value.toLocaleString('en-US', { maximumFractionDigits: digits });
  return unit ? `${text}\u202f${unit}` : text;
}
