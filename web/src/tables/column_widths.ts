import { cellText, headerText, isText, type DataColumn } from './cells.ts';

/** Widths in pixels of characters, and what a cell has around its text. */
export interface Metrics {
  digit: number;
  name: number;
  padding: number;
}

const kLeastName = 32;
const kMostName = 120;
/** Characters; a bar to both sides needs room for its number beside it. */
const kLeastBar = 16;

/** Rows that stand for all: evenly spaced ones and those with the largest and the smallest number. */
function sample(column: DataColumn): number[] {
  const { values } = column;
  const step = Math.max(1, Math.floor(values.length / 200));
  const rows: number[] = [];
  let least = 0;
  let most = 0;
  for (let row = 0; row < values.length; ++row) {
    if (row % step === 0) rows.push(row);
    const value = values[row];
    if (typeof value !== 'number') continue;
    if (value < Number(values[least] ?? Infinity)) least = row;
    if (value > Number(values[most] ?? -Infinity)) most = row;
  }
  return [...rows, least, most];
}

/** Headers may take two lines. */
function headerChars(column: DataColumn): number {
  const header = headerText(column);
  const words = header.split(/\s+/).map((word) => Math.min(word.length, 40));
  return Math.max(...words, Math.min(24, Math.ceil(header.length / 2) + 1)) + 2;
}

function numberWidth(column: DataColumn, metrics: Metrics): number {
  const chars = sample(column).map((row) => cellText(column, column.values[row]).length);
  const least = column.bar === 'diverging' ? kLeastBar : 0;
  return Math.ceil(Math.max(headerChars(column), least, ...chars) * metrics.digit) + metrics.padding;
}

function nameChars(column: DataColumn): number {
  let most = headerChars(column);
  for (const value of column.values)
    if (typeof value === 'string') most = Math.max(most, (column.shown?.get(value) ?? value).length);
  return Math.min(most, kMostName);
}

/** Shares out the room so that those that miss little get all of it. */
function shares(missing: readonly number[], room: number): number[] {
  const given = missing.map(() => 0);
  const order = missing.map((_, i) => i).sort((a, b) => missing[a]! - missing[b]!);
  order.forEach((i, done) => {
    given[i] = Math.min(missing[i]!, Math.floor(room / (order.length - done)));
    room -= given[i];
  });
  return given;
}

/** Pixels of each column: numbers what they need, names share what is left and are cut to it. */
export function columnWidths(columns: readonly DataColumn[], available: number, metrics: Metrics): number[] {
  const names = columns.map((column) => (isText(column) ? nameChars(column) : 0));
  const widths = columns.map((column, i) => (names[i] ? 0 : numberWidth(column, metrics)));
  const wanted = names.map((chars) => (chars ? Math.ceil(chars * metrics.name) + metrics.padding : 0));
  const least = names.map((chars) =>
    chars ? Math.ceil(Math.min(chars, kLeastName) * metrics.name) + metrics.padding : 0,
  );
  const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0);
  const room = Math.max(0, available - sum(widths) - sum(least));
  const given = shares(
    wanted.map((pixels, i) => pixels - least[i]!),
    room,
  );
  const fitted = widths.map((width, i) => width + least[i]! + given[i]!);
  const last = names.findLastIndex((chars) => chars > 0);
  if (last >= 0) fitted[last]! += Math.max(0, available - sum(fitted));
  return fitted;
}
