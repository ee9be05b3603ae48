import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  linearDomain,
  linearTicks,
  logDomain,
  logTicks,
  niceAbove,
  niceBelow,
  positionOf,
  tickText,
  type Scale,
} from '../src/charts/scale.ts';
import { bytesText, timeText } from '../src/text/units.ts';

test('nice values are 1, 2 and 5 times powers of ten, exactly at those', () => {
  for (const nice of [1e-9, 0.001, 0.2, 1, 5, 1000, 2e15, 1e23]) {
    assert.equal(niceAbove(nice), nice);
    assert.equal(niceBelow(nice), nice);
  }
  assert.deepEqual([niceAbove(1.1), niceAbove(2.1), niceAbove(7)], [2, 5, 10]);
  assert.deepEqual([niceBelow(1.9), niceBelow(4.9), niceBelow(7)], [1, 2, 5]);
});

test('a linear axis begins at 0 and ends on a tick at or above the greatest value', () => {
  assert.deepEqual(linearDomain([3, 44]), [0, 50]);
  assert.deepEqual(linearDomain([40, 12]), [0, 40]);
  assert.deepEqual(linearDomain([]), [0, 1]);
  assert.deepEqual(linearDomain([0, NaN, Infinity]), [0, 1]);
});

test('linear ticks do not drift', () => {
  assert.deepEqual(linearTicks(0, 1, 10), [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
  assert.deepEqual(linearTicks(3, 63, 8), [10, 20, 30, 40, 50, 60]);
  assert.deepEqual(linearTicks(5, 5, 4), [5]);
});

test('a logarithmic axis holds its values with some room, and at least a decade', () => {
  const [low, high] = logDomain([0, -3, 40, NaN, 7e6]);
  assert.ok(low < 40 && low >= 10 && high > 7e6 && high <= 2e7);
  assert.deepEqual(logDomain([]), [1, 10]);
  const [one, ten] = logDomain([3]);
  assert.ok(ten / one >= 10);
});

test('logarithmic ticks have 2 and 5 where there is room, else decades, else each n-th decade', () => {
  assert.deepEqual(logTicks(1, 100, 9), [1, 2, 5, 10, 20, 50, 100]);
  assert.deepEqual(logTicks(1, 1000, 5), [1, 10, 100, 1000]);
  assert.deepEqual(logTicks(2, 5e6, 4), [100, 10_000, 1_000_000]);
  for (const most of [2, 3, 5, 8]) assert.ok(logTicks(1e-3, 1e12, most).length <= most + 1);
});

test('both ends of an axis stand at its ends, and what lies in the middle of decades in the middle', () => {
  const log: Scale = { log: true, low: 1, high: 10_000, from: 10, to: 210 };
  assert.equal(positionOf(log, 1), 10);
  assert.ok(Math.abs(positionOf(log, 10_000) - 210) < 1e-9);
  assert.ok(Math.abs(positionOf(log, 100) - 110) < 1e-9);
  const down: Scale = { log: false, low: 0, high: 4, from: 300, to: 100 };
  assert.equal(positionOf(down, 1), 250);
});

test('ticks are written without zeros that say nothing', () => {
  assert.equal(tickText(timeText(1e6)), '1\u202fms');
  assert.equal(tickText(timeText(1.25e6)), '1.25\u202fms');
  assert.equal(tickText(bytesText(1.5e9)), '1.5\u202fGB');
  assert.equal(tickText(timeText(100e6)), '100\u202fms');
  assert.equal(tickText(timeText(1e12)), '1,000\u202fs');
});
