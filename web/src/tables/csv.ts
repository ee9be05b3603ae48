import { csvField } from '../text/csv.ts';
import { exactHeader, isAbsent, type CellValue, type DataColumn } from './cells.ts';

const cell = (value: CellValue | undefined): string => (isAbsent(value) ? '' : csvField(String(value)));

/** The rows in this order, numbers as they are, absent ones empty. */
export function csvOf(columns: readonly DataColumn[], rows: readonly number[]): string {
  const header = columns.map((column) => csvField(exactHeader(column))).join(',');
  const lines = rows.map((row) => columns.map((column) => cell(column.values[row])).join(','));
  return `${[header, ...lines].join('\r\n')}\r\n`;
}

/** "Kernels by time" -> "kernels_by_time.csv" */
export function csvFileName(caption: string): string {
  const name = caption
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 60);
  return `${name || 'table'}.csv`;
}
