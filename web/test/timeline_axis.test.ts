import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ticks, tickStep, tickText } from '../src/timeline/axis.ts';

test('steps are 1, 2 or 5 times a power of ten', () => {
  assert.deepEqual([1, 1.5, 3, 7, 100, 101, 499].map(tickStep), [1, 2, 5, 10, 100, 200, 500]);
});

test('a text has one unit and the digits that its step needs', () => {
  assert.equal(tickText(0, 100, 1e9), '0');
  assert.equal(tickText(1_234_500_000, 100_000, 2e9), '1.2345\u202fs');
  assert.equal(tickText(150_000_000, 50_000_000, 2e8), '150\u202fms');
  assert.equal(tickText(-1500, 500, 2000), '-1.5\u202fµs');
});

test('ticks stand inside the view and far enough apart', () => {
  const marks = ticks({ start: -20, end: 1010 }, 1030, 100);
  assert.deepEqual(
    marks.map(({ time }) => time),
    [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000],
  );
  assert.equal(marks[1]!.text, '0.1\u202fµs');
  assert.deepEqual(ticks({ start: 0, end: 10 }, 0), []);
});

test('ticks tell each other apart deep inside a long run', () => {
  const texts = ticks({ start: 7_200_000_000_000, end: 7_200_000_000_020 }, 1200).map(({ text }) => text);
  assert.equal(new Set(texts).size, texts.length);
  assert.ok(texts.length > 2);
});
