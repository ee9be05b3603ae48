import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellText, exactHeader, exactText, headerText, type DataColumn } from '../src/tables/cells.ts';
import { columnWidths } from '../src/tables/column_widths.ts';
import { csvFileName, csvOf } from '../src/tables/csv.ts';
import { filterRows, parseFilter } from '../src/tables/row_filter.ts';
import { nextSort, sortRows } from '../src/tables/row_order.ts';

const thin = '\u202f';
const columns: DataColumn[] = [
  { name: 'Name', unit: 'none', values: ['gemm_10', 'gemm_9', 'void copy<Array<char *, 3>>(int)', 'a "b", c'] },
  { name: 'Total Time (ns)', unit: 'ns', values: [1_234_567, null, 20, 1_234_567] },
  { name: 'Time (%)', unit: '%', decimals: 1, values: [50, 25.04, null, Number.NaN] },
];
const all = [0, 1, 2, 3];
const found = (text: string, usual = -1) => filterRows(columns, 4, parseFilter(columns, text, usual));

test('absent values stand last in either direction, equal ones keep their order', () => {
  assert.deepEqual(sortRows(columns, all, { column: 1, descending: false }), [2, 0, 3, 1]);
  assert.deepEqual(sortRows(columns, all, { column: 1, descending: true }), [0, 3, 2, 1]);
  assert.deepEqual(sortRows(columns, all, { column: 2, descending: true }), [0, 1, 2, 3]);
});

test('numbers within names count as numbers', () => {
  assert.deepEqual(sortRows(columns, [0, 1], { column: 0, descending: false }), [1, 0]);
});

test('no sort, or one of a column that is not there, leaves the order', () => {
  assert.deepEqual(sortRows(columns, [2, 0], undefined), [2, 0]);
  assert.deepEqual(sortRows(columns, [2, 0], { column: 9, descending: true }), [2, 0]);
});

test('numbers begin with the largest, a second click turns them around', () => {
  const first = nextSort(columns, undefined, 1);
  assert.deepEqual(first, { column: 1, descending: true });
  assert.deepEqual(nextSort(columns, first, 1), { column: 1, descending: false });
  assert.deepEqual(nextSort(columns, first, 0), { column: 0, descending: false });
});

test('a filter looks in any column, without regard to case', () => {
  assert.deepEqual(found('GEMM'), [0, 1]);
  assert.deepEqual(found('25.0'), [1]);
  assert.deepEqual(found('1234567'), [0, 3]);
  assert.deepEqual(found(''), all);
  assert.deepEqual(found('nothing of that'), []);
});

test('limits are of the column that they name, in its unit, and absent values do not keep to them', () => {
  assert.deepEqual(found('total>1ms'), [0, 3]);
  assert.deepEqual(found('total<1e6'), [2]);
  assert.deepEqual(found('>30', 2), [0]);
  assert.deepEqual(found('gemm total>=1'), [0]);
  assert.deepEqual(found('time(%)=50'), [0]);
});

test('what only looks like a limit is text', () => {
  assert.deepEqual(found('3>>(int'), [2]);
  assert.deepEqual(found('name>5'), []);
});

test('CSV is quoted as RFC 4180 says, with exact numbers and their unit', () => {
  assert.equal(
    csvOf(columns, [3, 0]),
    'Name,Total Time (ns),Time (%)\r\n"a ""b"", c",1234567,\r\ngemm_10,1234567,50\r\n',
  );
});

test('CSV is plain data: what a spreadsheet may take for a formula stays as it is', () => {
  assert.equal(
    csvOf([{ name: '=x', unit: 'ns', values: ['+1', '@a\nb', null] }], [0, 1, 2]),
    '=x (ns)\r\n+1\r\n"@a\nb"\r\n\r\n',
  );
});

test('file names hold nothing odd', () => {
  assert.equal(csvFileName('Kernels / by <time>'), 'kernels_by_time.csv');
  assert.equal(csvFileName('../..'), 'table.csv');
});

test('headers tell the unit unless each cell does', () => {
  assert.equal(headerText(columns[1]!), 'Total Time');
  assert.equal(headerText(columns[2]!), 'Time (%)');
  assert.equal(headerText({ name: 'Rate', unit: 'GB/s', values: [] }), 'Rate (GB/s)');
  assert.equal(exactHeader({ name: 'Bytes', unit: 'bytes', values: [] }), 'Bytes (bytes)');
});

test('cells show scaled amounts and tell exact ones', () => {
  assert.equal(cellText(columns[1]!, 1_234_567), `1.23${thin}ms`);
  assert.equal(exactText(columns[1]!, 1_234_567), '1,234,567 ns');
  assert.equal(cellText(columns[1]!, null), '–');
  assert.equal(exactText(columns[1]!, null), 'not recorded');
  assert.equal(cellText(columns[2]!, 25.04), '25.0');
  assert.equal(cellText({ name: 'PID', unit: 'none', values: [] }, 12345), '12345');
  assert.equal(cellText({ name: 'Instances', unit: 'none', decimals: 0, values: [] }, 12345), '12,345');
  assert.equal(cellText({ name: 'Start (ns)', unit: 'ns', values: [] }, 1_234_567_890), `1.234568${thin}s`);
  assert.equal(cellText({ name: 'Change', unit: 'ns', bar: 'diverging', values: [] }, 5000), `+5.00${thin}µs`);
});

test('names share what the numbers leave, and never less than their least', () => {
  const metrics = { digit: 7, name: 7, padding: 16 };
  const names: DataColumn[] = [{ name: 'Name', unit: 'none', values: ['x'.repeat(10_000)] }, columns[1]!];
  const [wide, number] = columnWidths(names, 1000, metrics);
  assert.ok(wide! + number! <= 1000 && wide! > 700, `${wide} ${number}`);
  assert.deepEqual(columnWidths(names, 10, metrics), [32 * 7 + 16, number]);
});
