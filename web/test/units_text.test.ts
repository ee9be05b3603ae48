import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bytesText,
  countText,
  counted,
  flopsText,
  momentText,
  percentText,
  rateText,
  timeText,
} from '../src/text/units.ts';

const thin = '\u202f';

test('times have three digits and the unit that fits them', () => {
  assert.equal(timeText(0), `0${thin}ns`);
  assert.equal(timeText(999), `999${thin}ns`);
  assert.equal(timeText(999.7), `1.00${thin}µs`);
  assert.equal(timeText(1_234_567), `1.23${thin}ms`);
  assert.equal(timeText(99_950_000), `100${thin}ms`);
  assert.equal(timeText(3_600_000_000_000), `3,600${thin}s`);
  assert.equal(timeText(-1500), `-1.50${thin}µs`);
});

test('amounts are decimal', () => {
  assert.equal(bytesText(1_207_959_552), `1.21${thin}GB`);
  assert.equal(rateText(8_992_108_289), `8.99${thin}GB/s`);
  assert.equal(flopsText(989e12), `989${thin}TFLOP/s`);
});

test('what is not known is no zero', () => {
  for (const text of [timeText, bytesText, rateText, flopsText, countText, percentText])
    for (const value of [null, undefined, Number.NaN]) assert.equal(text(value), '–');
});

test('counts are grouped, and one is one', () => {
  assert.equal(countText(1_234_567), '1,234,567');
  assert.equal(counted(1, 'kernel'), '1 kernel');
  assert.equal(counted(2000, 'kernel'), '2,000 kernels');
});

test('moments have digits for what can be told apart', () => {
  assert.equal(momentText(1_234_567_890, 1e6), `1.234568${thin}s`);
  assert.equal(momentText(1_234_567_890, 1e9), `1.235${thin}s`);
  assert.equal(momentText(0, 1e3), `0.000${thin}µs`);
});
