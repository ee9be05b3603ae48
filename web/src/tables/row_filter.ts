import { cellText, exactHeader, isAbsent, type DataColumn } from './cells.ts';

/** "total>1.5ms": the column's beginning, how, a number, and the unit it is in. */
interface Limit {
  column: number;
  holds: (value: number) => boolean;
}

export interface Filter {
  /** Lower case; what any column has to contain. */
  text: string;
  limits: Limit[];
}

const kTerm = /^([^<>=]*)(>=|<=|>|<|=)([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(ns|us|µs|ms|s|b|kb|mb|gb|%)?$/i;
const kScales: Record<string, number> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
};

/** Only where the column's own numbers are in the unit that is scaled. */
function scaleOf(column: DataColumn, unit: string | undefined): number {
  if (!unit || (column.unit !== 'ns' && column.unit !== 'bytes')) return 1;
  return kScales[unit.toLowerCase()] ?? 1;
}

const plain = (text: string): string => text.toLowerCase().replace(/\s+/g, '');

function columnNamed(columns: readonly DataColumn[], name: string, usual: number): number {
  if (name === '') return usual;
  const wanted = plain(name);
  const names = columns.map((column) => plain(exactHeader(column)));
  const exact = names.indexOf(wanted);
  if (exact >= 0) return exact;
  const begins = names.findIndex((text) => text.startsWith(wanted));
  return begins >= 0 ? begins : names.findIndex((text) => text.includes(wanted));
}

const kCompare: Record<string, (value: number, limit: number) => boolean> = {
  '>': (value, limit) => value > limit,
  '<': (value, limit) => value < limit,
  '>=': (value, limit) => value >= limit,
  '<=': (value, limit) => value <= limit,
  '=': (value, limit) => value === limit,
};

function limitOf(columns: readonly DataColumn[], term: string, usual: number): Limit | undefined {
  const [, name, operator, number, unit] = kTerm.exec(term) ?? [];
  if (name === undefined) return undefined;
  const column = columnNamed(columns, name, usual);
  if (!columns[column]?.values.some((value) => typeof value === 'number')) return undefined;
  const limit = Number(number) * scaleOf(columns[column], unit);
  return { column, holds: (value) => kCompare[operator!]!(value, limit) };
}

/** Words such as ">5" or "total>1ms" limit a column (`usual` without a name); the rest is text to look for. */
export function parseFilter(columns: readonly DataColumn[], text: string, usual: number): Filter {
  const limits: Limit[] = [];
  const words = text
    .trim()
    .split(/\s+/)
    .filter((word) => {
      const limit = limitOf(columns, word, usual);
      if (limit) limits.push(limit);
      return !limit;
    });
  return { text: words.join(' ').toLowerCase(), limits };
}

function contains(column: DataColumn, row: number, text: string): boolean {
  const value = column.values[row];
  if (isAbsent(value)) return false;
  if (typeof value === 'string') return value.toLowerCase().includes(text);
  return String(value).includes(text) || cellText(column, value).toLowerCase().includes(text);
}

/** Rows that hold the text in any column, and keep to all limits; in their order. */
export function filterRows(columns: readonly DataColumn[], rows: number, filter: Filter): number[] {
  const keeps = (row: number): boolean =>
    filter.limits.every(({ column, holds }) => {
      const value = columns[column]!.values[row];
      return typeof value === 'number' && holds(value);
    });
  const found: number[] = [];
  for (let row = 0; row < rows; ++row)
    if (keeps(row) && (filter.text === '' || columns.some((column) => contains(column, row, filter.text))))
      found.push(row);
  return found;
}
