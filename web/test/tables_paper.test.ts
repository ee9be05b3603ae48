import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DataColumn } from '../src/tables/cells.ts';
import { paperLayout } from '../src/tables/paper.ts';

const metrics = { digit: 7, name: 7, padding: 16 };
const number = (i: number): DataColumn => ({ name: `Column ${i}`, unit: 'ns', values: [1234 * i] });
const name: DataColumn = { name: 'Name', unit: 'none', values: ['x'.repeat(100)] };

test('what fits stays as it is', () => {
  assert.deepEqual(paperLayout([number(1), number(2), name], metrics), { columns: [0, 1, 2], zoom: 1 });
});

test('a wide table gets smaller and loses its last numbers, never its names', () => {
  const columns = [...Array.from({ length: 30 }, (_, i) => number(i)), name];
  const { columns: kept, zoom } = paperLayout(columns, metrics);
  assert.ok(zoom < 1);
  assert.ok(kept.includes(0) && kept.includes(30) && !kept.includes(29), String(kept));
  assert.deepEqual(
    [...kept].sort((a, b) => a - b),
    kept,
  );
});
