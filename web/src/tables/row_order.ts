import { isAbsent, type CellValue, type DataColumn } from './cells.ts';

export interface Sort {
  column: number;
  descending: boolean;
}

const texts = new Intl.Collator('en', { numeric: true });

function compare(a: CellValue, b: CellValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return texts.compare(a, b);
  return typeof a === 'number' ? -1 : 1;
}

/** Absent values stand last in either direction; equal ones stay as they were. */
export function sortRows(columns: readonly DataColumn[], rows: readonly number[], sort: Sort | undefined): number[] {
  const values = sort && columns[sort.column]?.values;
  if (!sort || !values) return [...rows];
  const known = rows.filter((row) => !isAbsent(values[row]));
  const unknown = rows.filter((row) => isAbsent(values[row]));
  const sign = sort.descending ? -1 : 1;
  known.sort((a, b) => sign * compare(values[a]!, values[b]!));
  return known.concat(unknown);
}

/** Numbers begin with the largest, texts with A. */
export function nextSort(columns: readonly DataColumn[], current: Sort | undefined, column: number): Sort {
  if (current?.column === column) return { column, descending: !current.descending };
  const first = columns[column]?.values.find((value) => !isAbsent(value));
  return { column, descending: typeof first === 'number' };
}
