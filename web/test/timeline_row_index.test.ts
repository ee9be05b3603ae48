import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Slices } from '../src/data/slices.ts';
import {
  addBusy,
  busyIn,
  firstFrom,
  gallop,
  indexSlices,
  longestSlice,
  lowerBound,
  rowOf,
  slicesIn,
} from '../src/timeline/row_index.ts';
import { randomOf } from './sample_timeline.ts';
import { randomRow, slicesOf, oneMerged } from './timeline_samples.ts';

const bruteLongest = (slices: Slices, begin: number, end: number): number => {
  let best = begin;
  for (let i = begin; i < end; ++i)
    if (slices.end[i]! - slices.start[i]! > slices.end[best]! - slices.start[best]!) best = i;
  return best;
};

const bruteBusy = (slices: Slices, from: number, to: number): number =>
  slices.start.reduce((sum, start, i) => sum + Math.max(0, Math.min(to, slices.end[i]!) - Math.max(from, start)), 0);

function busyColumns(slices: Slices, from: number, step: number, count: number): number[] {
  const columns = new Float64Array(count);
  addBusy(slices, indexSlices(slices), 0, from, step, columns);
  return Array.from(columns);
}

test('columns of busy time are each the sum of what reaches into it', () => {
  const slices = slicesOf([randomRow(7, 500)]);
  const run = slices.end.at(-1)!;
  for (const [from, step, count] of [
    [0, run / 300, 300],
    [-100, 3.7, 900],
    [run / 3, 1000, 5],
    [run / 2, 1, 2000],
    [run + 50, 10, 4],
  ] as const)
    busyColumns(slices, from, step, count).forEach((busy, k) => {
      const expected = bruteBusy(slices, from + k * step, from + (k + 1) * step);
      assert.ok(Math.abs(busy - expected) < 1e-6, `${k}: ${busy} for ${expected}`);
    });
});

test('the longest slice of any range is the first of the longest', () => {
  const slices = slicesOf([randomRow(1, 1000)]);
  const index = indexSlices(slices);
  const random = randomOf(2);
  for (let i = 0; i < 3000; ++i) {
    const begin = Math.floor(random() * 999);
    const end = begin + 1 + Math.floor(random() * (1000 - begin));
    assert.equal(longestSlice(slices, index, begin, end), bruteLongest(slices, begin, end), `[${begin}, ${end})`);
  }
});

test('busy time in a span is the sum of what reaches into it', () => {
  const slices = slicesOf([randomRow(4, 700)]);
  const index = indexSlices(slices);
  const random = randomOf(5);
  for (let i = 0; i < 2000; ++i) {
    const from = random() * slices.end.at(-1)!;
    const to = from + 1 + random() ** 3 * 5000;
    const [begin, end] = slicesIn(slices, 0, from, to);
    assert.ok(Math.abs(busyIn(slices, index, begin, end, from, to) - bruteBusy(slices, from, to)) < 1e-6);
  }
});

test('a merged slice is busy for its events only, evenly', () => {
  const merged = oneMerged(1, 4, 25);
  const slices = slicesOf(
    [
      [
        [0, 10, 0],
        [100, 200, 0],
        [300, 310, 0],
      ],
    ],
    merged,
  );
  const index = indexSlices(slices);
  assert.deepEqual(Array.from(index.busyBefore), [0, 10, 35, 45]);
  assert.equal(busyIn(slices, index, 1, 2, 100, 140), 10);
  assert.deepEqual(busyColumns(slices, 0, 400, 1), [45]);
});

test('the first slice that is not over, whether it has a length or not', () => {
  const slices = slicesOf([
    [
      [0, 10, 0],
      [10, 10, 0],
      [10, 20, 0],
      [30, 40, 0],
    ],
  ]);
  assert.equal(firstFrom(slices, 0, 4, 9), 0);
  assert.equal(firstFrom(slices, 0, 4, 10), 1);
  assert.equal(firstFrom(slices, 0, 4, 11), 2);
  assert.equal(firstFrom(slices, 0, 4, 20), 3);
  assert.equal(firstFrom(slices, 0, 4, 40), 4);
});

test('galloping finds what a binary search finds', () => {
  const values = Float64Array.from(randomRow(6, 500), ([start]) => start);
  const random = randomOf(7);
  for (let i = 0; i < 2000; ++i) {
    const begin = Math.floor(random() * 500);
    const least = random() * values.at(-1)! * 1.1;
    assert.equal(gallop(values, begin, 500, least), lowerBound(values, begin, 500, least));
    const brute = values.findIndex((value, k) => k >= begin && value >= least);
    assert.equal(lowerBound(values, begin, 500, least), brute < 0 ? 500 : brute);
  }
});

test('an empty track has an index', () => {
  const slices = slicesOf([[]]);
  assert.deepEqual(busyColumns(slices, 0, 10, 1), [0]);
});

test('rows are ranges of a track', () => {
  const slices = slicesOf([
    [
      [0, 5, 0],
      [6, 7, 0],
    ],
    [],
    [[1, 2, 0]],
  ]);
  assert.deepEqual(
    [0, 1, 2].map((i) => rowOf(slices, i)),
    [0, 0, 2],
  );
});
