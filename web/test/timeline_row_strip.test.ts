import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ColumnMemory } from '../src/timeline/column_memory.ts';
import { mix, type Palette } from '../src/timeline/palette.ts';
import { paintStrip, sliceAt, wideSlices, type Row, type StripView } from '../src/timeline/row_strip.ts';
import { randomOf } from './sample_timeline.ts';
import { randomRow, rowOfSlices, slicesOf } from './timeline_samples.ts';

const kGround = 0xffffffff;
const kColours = [0xff0000ff, 0xff00ff00, 0xffff0000, 0xff00ffff, 0xffff00ff];
const kPalette: Palette = { pixel: Uint32Array.from(kColours), text: kColours.map(() => '#fff') };

function painted(row: Row, view: StripView, labelWidth = 20) {
  const out = new Uint32Array(view.width);
  const wide = wideSlices(1000);
  paintStrip(row, view, kPalette, kGround, out, wide, labelWidth);
  return { out, wide: Array.from(wide.slice.subarray(0, wide.count)) };
}

test('wide slices are runs with a gap at their end', () => {
  const row = rowOfSlices(
    slicesOf([
      [
        [0, 4, 0],
        [4, 8, 1],
        [9, 12, 2],
      ],
    ]),
  );
  const { out } = painted(row, { start: 0, nsPerPixel: 1, width: 14, column: 1 });
  const gap = (i: number) => mix(kGround, kColours[i]!, 0.35);
  const [a, b, c] = kColours as [number, number, number];
  assert.deepEqual(Array.from(out), [a, a, a, gap(0), b, b, b, gap(1), 0, c, c, gap(2), 0, 0]);
});

test('a dense column has the colour of its longest slice, as strong as it is busy', () => {
  const row = rowOfSlices(
    slicesOf([
      [
        [0, 10, 0],
        [10, 40, 1],
        [60, 70, 2],
      ],
    ]),
  );
  const { out } = painted(row, { start: 0, nsPerPixel: 100, width: 3, column: 1 });
  assert.deepEqual(Array.from(out), [mix(kGround, kColours[1]!, 0.3 + 0.7 * 0.5), 0, 0]);
});

test('every slice leaves a mark, however short', () => {
  const random = randomOf(11);
  for (let i = 0; i < 200; ++i) {
    const slices = slicesOf([randomRow(100 + i, 60)]);
    const nsPerPixel = 0.2 + random() * 60;
    const start = Math.floor(random() * 300);
    const view = { start, nsPerPixel, width: 300, column: 1 + (i % 2) };
    const { out } = painted(rowOfSlices(slices), view);
    slices.start.forEach((from, k) => {
      const x = Math.round((from - start) / nsPerPixel);
      const last = Math.round((slices.end[k]! - start) / nsPerPixel);
      if (last < 2 || x < 2 || x >= 298) return;
      const near = out.subarray(Math.max(0, x - view.column), x + view.column + 1);
      assert.ok(
        near.some((pixel) => pixel !== 0),
        `slice ${k} at ${from} of seed ${100 + i}`,
      );
    });
  }
});

test('a moment is seen, and can be pointed at', () => {
  const row = rowOfSlices(slicesOf([[[50, 50, 3]]]));
  const { out } = painted(row, { start: 0, nsPerPixel: 10, width: 10, column: 1 });
  assert.deepEqual(Array.from(out), [0, 0, 0, 0, 0, kColours[3], 0, 0, 0, 0]);
  assert.equal(sliceAt(row, 62, 20), 0);
  assert.equal(sliceAt(row, 75, 20), -1);
});

test('nothing is painted where nothing is', () => {
  const random = randomOf(12);
  for (let i = 0; i < 200; ++i) {
    const slices = slicesOf([randomRow(400 + i, 40)]);
    const nsPerPixel = 0.3 + random() * 3;
    const { out } = painted(rowOfSlices(slices), { start: 0, nsPerPixel, width: 400, column: 1 });
    out.forEach((pixel, x) => {
      if (pixel === 0) return;
      const [from, to] = [(x - 1) * nsPerPixel, (x + 2) * nsPerPixel];
      assert.ok(
        slices.start.some((start, k) => start <= to && slices.end[k]! >= from),
        `pixel ${x} of seed ${400 + i}`,
      );
    });
  }
});

test('the work is bounded by the width, not by the number of slices', () => {
  const count = 200_000;
  const slices = slicesOf([Array.from({ length: count }, (_, i) => [10 * i, 10 * i + 9, i % 5])]);
  let reads = 0;
  const counted = new Proxy(slices.start, {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) ++reads;
      return Reflect.get(target, key) as unknown;
    },
  });
  const row = rowOfSlices(slices);
  row.slices = { ...slices, start: counted };
  painted(row, { start: 0, nsPerPixel: (10 * count) / 500, width: 500, column: 1 });
  assert.ok(reads < 500 * 150, `${reads} reads for 500 columns`);
  assert.ok(reads > 500);
});

test('slices with room for a text are listed, cut at the edges', () => {
  const row = rowOfSlices(
    slicesOf([
      [
        [0, 100, 0],
        [100, 110, 1],
        [110, 400, 2],
      ],
    ]),
  );
  const out = new Uint32Array(200);
  const wide = wideSlices(10);
  paintStrip(row, { start: 50, nsPerPixel: 1, width: 200, column: 1 }, kPalette, kGround, out, wide, 20);
  assert.equal(wide.count, 2);
  assert.deepEqual([wide.slice[0], wide.x0[0], wide.x1[0]], [0, 0, 50]);
  assert.deepEqual([wide.slice[1], wide.x0[1], wide.x1[1]], [2, 60, 200]);
});

test('what was searched shows in a dense place although others take longer', () => {
  const slices = slicesOf([
    [
      [0, 30, 0],
      [31, 33, 1],
      [40, 90, 0],
      [101, 105, 0],
    ],
  ]);
  const view = { start: 0, nsPerPixel: 100, width: 2, column: 1 };
  const { out } = painted(rowOfSlices(slices, 0, Int32Array.from([1])), view);
  assert.equal(out[0], mix(kGround, kColours[1]!, 0.3 + 0.7 * 0.82));
  assert.equal(out[1], mix(kGround, kColours[0]!, 0.3 + 0.7 * 0.04));
});

test('panning by whole pixels moves the picture and changes nothing else', () => {
  const slices = slicesOf([randomRow(21, 400)]);
  const view = { start: 700, nsPerPixel: 7, width: 300, column: 1 };
  const { out: first } = painted(rowOfSlices(slices), view);
  const { out: later } = painted(rowOfSlices(slices), { ...view, start: 700 + 7 * 40 });
  assert.deepEqual(Array.from(first.subarray(50, 300)), Array.from(later.subarray(10, 260)));
});

test('what is remembered is what is worked out, wherever the view begins', () => {
  const slices = slicesOf([randomRow(31, 3000)]);
  const hits = Int32Array.from(slices.name.keys()).filter((i) => slices.name[i] === 3);
  const row = rowOfSlices(slices, 0, hits);
  const memory = new ColumnMemory();
  const random = randomOf(32);
  for (let i = 0; i < 400; ++i) {
    const nsPerPixel = [3, 40, 41][Math.floor(i / 50) % 3]!;
    const view = { start: random() * 20_000 - 2000, nsPerPixel, width: 250, column: 1 + (Math.floor(i / 25) % 2) };
    const seen = i % 100 < 70 ? row : { ...row, hits: null };
    const remembered = new Uint32Array(view.width);
    paintStrip(seen, view, kPalette, kGround, remembered, wideSlices(100), 20, memory);
    assert.deepEqual(remembered, painted(seen, view).out);
  }
});

test('the pointer means the slice at its time, or the longest nearby', () => {
  const row = rowOfSlices(
    slicesOf([
      [
        [0, 100, 0],
        [100, 100, 1],
        [150, 152, 0],
        [153, 158, 1],
        [400, 900, 2],
      ],
    ]),
  );
  assert.equal(sliceAt(row, 50, 5), 0);
  assert.equal(sliceAt(row, 149, 3), 2);
  assert.equal(sliceAt(row, 151, 10), 3);
  assert.equal(sliceAt(row, 250, 5), -1);
  assert.equal(sliceAt(row, 899, 5), 4);
});
