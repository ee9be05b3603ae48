import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  between,
  clampView,
  focusView,
  lengthOf,
  panView,
  timeAt,
  wholeView,
  xOf,
  zoomView,
} from '../src/timeline/viewport.ts';
import { randomOf } from './sample_timeline.ts';

const kBounds = { start: 0, end: 1_000_000 };

test('time and pixels are each other’s inverse', () => {
  const view = { start: 1000, end: 3000 };
  assert.equal(xOf(view, 500, 1500), 125);
  assert.equal(timeAt(view, 500, 125), 1500);
});

test('the whole run has one percent of room', () => {
  assert.deepEqual(wholeView(kBounds), { start: -10_000, end: 1_010_000 });
});

test('zooming keeps what is under the pointer', () => {
  const view = { start: 200_000, end: 400_000 };
  const closer = zoomView(view, 0.5, 250_000, kBounds);
  assert.deepEqual(closer, { start: 225_000, end: 325_000 });
  assert.equal(xOf(closer, 800, 250_000), xOf(view, 800, 250_000));
});

test('zooming in ends at 20 ns, zooming out at the whole run', () => {
  const view = { start: 500_000, end: 500_030 };
  assert.equal(Math.round(lengthOf(zoomView(view, 0.1, 500_010, kBounds))), 20);
  assert.deepEqual(zoomView(view, 1e9, 500_010, kBounds), wholeView(kBounds));
});

test('the middle of a close view reaches the ends of the run, and no further', () => {
  const { start, end } = panView({ start: 500_000, end: 501_000 }, -1e9, kBounds);
  assert.ok(Math.abs((start + end) / 2 - wholeView(kBounds).start) < 2);
  assert.deepEqual(panView(wholeView(kBounds), 300_000, kBounds), wholeView(kBounds));
});

test('a focused span takes a third of the width, at least 2 µs are shown', () => {
  assert.deepEqual(focusView({ start: 300_000, end: 310_000 }, kBounds), { start: 290_000, end: 320_000 });
  assert.deepEqual(focusView({ start: 300_000, end: 300_010 }, kBounds), { start: 299_005, end: 301_005 });
});

test('a clamped view stays as it is when clamped again', () => {
  const random = randomOf(3);
  for (let i = 0; i < 500; ++i) {
    const start = (random() - 0.5) * 4e6;
    const once = clampView({ start, end: start + random() * 2e6 }, kBounds);
    const twice = clampView(once, kBounds);
    assert.ok(Math.abs(once.start - twice.start) < 1e-6 && Math.abs(once.end - twice.end) < 1e-6);
    assert.ok(lengthOf(once) <= 1_020_000 + 1e-6);
  }
});

test('half way between two views is half way', () => {
  assert.deepEqual(between({ start: 0, end: 100 }, { start: 50, end: 60 }, 0.5), { start: 25, end: 80 });
});
