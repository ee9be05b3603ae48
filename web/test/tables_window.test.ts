import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kRowHeight, moveOfKey, visibleRows } from '../src/tables/row_window.ts';

test('few of many rows are drawn, and all that are seen', () => {
  const [first, last] = visibleRows(5000 * kRowHeight, 480, 1_000_000);
  assert.ok(first <= 5000 && last >= 5020 && last - first < 60, `${first} ${last}`);
});

test('the ends are kept', () => {
  assert.deepEqual(visibleRows(0, 480, 3), [0, 3]);
  assert.deepEqual(visibleRows(90_000, 480, 3), [3, 3]);
  assert.deepEqual(visibleRows(0, 0, 0), [0, 0]);
});

test('keys move by a row, a page, and to the ends', () => {
  const height = 10 * kRowHeight;
  assert.equal(moveOfKey('ArrowDown', 3, height, 100), 4);
  assert.equal(moveOfKey('ArrowUp', 0, height, 100), 0);
  assert.equal(moveOfKey('PageDown', 3, height, 100), 11);
  assert.equal(moveOfKey('End', 3, height, 100), 99);
  assert.equal(moveOfKey('Home', 3, height, 100), 0);
  assert.equal(moveOfKey('a', 3, height, 100), undefined);
});
