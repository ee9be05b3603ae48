import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readColumn } from '../src/data/columns.ts';
import { varints, zigzag } from './encode.ts';

test('varints are exact up to 2^53', () => {
  const values = [0, 1, 127, 128, 2 ** 28 - 1, 2 ** 28, 2 ** 35 + 5, 2 ** 53 - 1];
  const bytes = varints(values);
  const entry = { name: 'x', encoding: 'varint' as const, count: values.length, offset: 0, bytes: bytes.length };
  assert.deepEqual(Array.from(readColumn(bytes, entry)), values);
});

test('deltas go down as well as up', () => {
  const values = [5, 3, 3, 2 ** 40, 1];
  const bytes = varints(values.map((value, i) => zigzag(value - (values[i - 1] ?? 0))));
  const entry = { name: 'x', encoding: 'delta' as const, count: values.length, offset: 0, bytes: bytes.length };
  assert.deepEqual(Array.from(readColumn(bytes, entry)), values);
});

test('a column that is cut off is an error', () => {
  const bytes = varints([300, 300]);
  const entry = { name: 'x', encoding: 'varint' as const, count: 2, offset: 0, bytes: bytes.length - 1 };
  assert.throws(() => readColumn(bytes, entry), /does not end where it says/);
});
