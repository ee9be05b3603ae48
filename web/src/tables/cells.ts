import type { TableUnit } from '../data/format.ts';
import { bytesText, countText, kAbsent, momentText, timeText } from '../text/units.ts';

export type CellValue = number | string | null;

export interface DataColumn {
  name: string;
  unit: TableUnit;
  /** Digits after the point; without it three significant digits. */
  decimals?: number;
  values: readonly CellValue[];
  /** What cells show in place of texts that are longer; sorting, filters and copies keep the values. */
  shown?: ReadonlyMap<string, string>;
  /** What is drawn behind the numbers. Without it percentages get `share` (0 to 100), others nothing. */
  bar?: 'share' | 'diverging' | 'none';
}

export const isAbsent = (value: CellValue | undefined): value is null | undefined =>
  value === null || value === undefined || (typeof value === 'number' && Number.isNaN(value));

export const isText = (column: DataColumn): boolean => column.values.some((value) => typeof value === 'string');

/** Units that a cell scales and names itself. */
const kScaled: readonly TableUnit[] = ['ns', 'bytes'];

/** Numbers that name something: digits are not grouped. */
const identifies = (column: DataColumn): boolean =>
  column.unit === 'none' &&
  (/I[dD]$/.test(column.name) || /^([pt]id|ctx|strm|device|stream|context|rank)$/i.test(column.name));

/** Moments tell more than three digits: "1.234567 s". */
const isMoment = (column: DataColumn): boolean => /\b(start|end)\b/i.test(column.name);

const formats = new Map<number, Intl.NumberFormat>();

function fixed(value: number, decimals: number): string {
  const digits = Math.min(20, Math.max(0, decimals));
  let format = formats.get(digits);
  if (!format) {
    format = new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
    formats.set(digits, format);
  }
  return format.format(value);
}

const significant = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

function numberText(column: DataColumn, value: number): string {
  if (identifies(column)) return String(value);
  if (column.unit === 'ns') return isMoment(column) ? momentText(value, 1e6) : timeText(value);
  if (column.unit === 'bytes') return bytesText(value);
  if (column.decimals !== undefined) return fixed(value, column.decimals);
  return Number.isInteger(value) ? countText(value) : significant.format(value);
}

/** As a cell shows it; times and bytes with a unit of their own. */
export function cellText(column: DataColumn, value: CellValue | undefined): string {
  if (isAbsent(value)) return kAbsent;
  if (typeof value === 'string') return value;
  const text = numberText(column, value);
  return column.bar === 'diverging' && value > 0 ? `+${text}` : text;
}

/** The number as it is in the profile, for the tooltip: "1,234,567 ns". */
export function exactText(column: DataColumn, value: CellValue | undefined): string {
  if (isAbsent(value)) return 'not recorded';
  if (typeof value === 'string') return value;
  if (identifies(column)) return String(value);
  const text = value.toLocaleString('en-US', { maximumFractionDigits: 20 });
  return column.unit === 'none' ? text : `${text} ${column.unit}`;
}

const unitInName = (column: DataColumn): boolean => column.name.endsWith(`(${column.unit})`);

/** With the unit, unless each cell names its own. */
export function headerText(column: DataColumn): string {
  if (column.unit === 'none') return column.name;
  if (!kScaled.includes(column.unit)) return unitInName(column) ? column.name : `${column.name} (${column.unit})`;
  return unitInName(column) ? column.name.slice(0, -column.unit.length - 2).trimEnd() : column.name;
}

/** With the unit of the exact numbers. */
export const exactHeader = (column: DataColumn): string =>
  column.unit === 'none' || unitInName(column) ? column.name : `${column.name} (${column.unit})`;
