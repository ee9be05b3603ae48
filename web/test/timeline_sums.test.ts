import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Report } from '../src/data/report.ts';
import { sumArea } from '../src/timeline/area_sums.ts';
import { lanesOf } from '../src/timeline/lanes.ts';
import { nodesOf, tracksOf } from '../src/timeline/layout.ts';
import {
  addSlices,
  addTiles,
  counterIn,
  eventsOfTiles,
  Sums,
  tileSpan,
  unionBusy,
  type SumTrack,
} from '../src/timeline/selection_sums.ts';
import { csvOf } from '../src/timeline/sums_csv.ts';
import { TrackStore } from '../src/timeline/track_store.ts';
import { randomOf, sampleReport, type Sample } from './sample_timeline.ts';
import { randomRow, slicesOf, oneMerged } from './timeline_samples.ts';

const kTrack: SumTrack = {
  profile: 0,
  kind: 'gpu',
  names: [
    [0, 'matrix'],
    [1, 'copy'],
  ],
  texts: ['gemm', 'copy'],
};

test('an event counts whole where it begins', () => {
  const sums = new Sums();
  addSlices(
    sums,
    kTrack,
    slicesOf([
      [
        [0, 10, 0],
        [10, 50, 0],
        [60, 65, 1],
      ],
      [[15, 17, 0]],
    ]),
    { start: 10, end: 60 },
  );
  assert.deepEqual(sums.done(), [
    {
      profile: 0,
      kind: 'gpu',
      rows: [{ name: 'gemm', category: 'matrix', count: 2, total_ns: 42, minimum_ns: 2, maximum_ns: 40 }],
    },
  ]);
});

test('tracks of one kind add up by name, GPU work comes first', () => {
  const sums = new Sums();
  addSlices(sums, { ...kTrack, kind: 'os' }, slicesOf([[[0, 1, 0]]]), { start: 0, end: 9 });
  addSlices(sums, kTrack, slicesOf([[[0, 3, 0]]]), { start: 0, end: 9 });
  addSlices(
    sums,
    kTrack,
    slicesOf([
      [
        [1, 9, 0],
        [9, 10, 1],
      ],
    ]),
    { start: 0, end: 10 },
  );
  const sections = sums.done();
  assert.deepEqual(
    sections.map(({ kind }) => kind),
    ['gpu', 'os'],
  );
  assert.deepEqual(
    sections[0]!.rows.map(({ name, count, total_ns }) => [name, count, total_ns]),
    [
      ['gemm', 2, 11],
      ['copy', 1, 1],
    ],
  );
});

test('merged slices have no least and most', () => {
  const sums = new Sums();
  addSlices(sums, kTrack, slicesOf([[[0, 100, 0]]], oneMerged(0, 7, 60)), { start: 0, end: 1 });
  const row = sums.done()[0]!.rows[0]!;
  assert.deepEqual([row.count, row.total_ns, row.minimum_ns, row.maximum_ns], [7, 60, null, null]);
});

test('tiles add up by whole tiles', () => {
  const tiles = {
    tile_ns: 100,
    track: Float64Array.from([0, 0, 0, 2]),
    name: Float64Array.from([0, 0, 1, 0]),
    tile: Float64Array.from([0, 3, 1, 1]),
    count: Float64Array.from([5, 1, 2, 9]),
    total_ns: Float64Array.from([50, 10, 7, 90]),
  };
  assert.deepEqual(tileSpan({ start: 110, end: 201 }, 100), { start: 100, end: 300 });
  const sums = new Sums();
  assert.equal(addTiles(sums, kTrack, 0, tiles, { start: 0, end: 200 }), true);
  assert.equal(addTiles(sums, kTrack, 1, tiles, { start: 0, end: 200 }), false);
  assert.deepEqual(
    sums.done()[0]!.rows.map(({ name, count, total_ns }) => [name, count, total_ns]),
    [
      ['gemm', 5, 50],
      ['copy', 2, 7],
    ],
  );
  assert.equal(eventsOfTiles(tiles, 0, Uint8Array.from([1, 0])), 6);
  assert.equal(eventsOfTiles(tiles, 1, Uint8Array.from([1, 0])), null);
});

test('busy is the union of rows, cut to the span', () => {
  const slices = slicesOf([
    [
      [0, 10, 0],
      [20, 30, 0],
    ],
    [
      [5, 25, 0],
      [40, 50, 0],
    ],
  ]);
  assert.equal(unionBusy([slices], { start: 0, end: 100 }), 40);
  assert.equal(unionBusy([slices], { start: 8, end: 45 }), 27);
  assert.equal(unionBusy([], { start: 0, end: 10 }), 0);
});

test('the union is what counting nanoseconds gives', () => {
  for (let seed = 0; seed < 20; ++seed) {
    const parts = Array.from({ length: 1 + 2 * seed }, (_, k) => slicesOf([randomRow(50 * seed + k, 30)]));
    const span = { start: 100, end: 1500 };
    const busy = new Set<number>();
    for (const { start, end } of parts)
      start.forEach((from, i) => {
        for (let t = Math.max(from, span.start); t < Math.min(end[i]!, span.end); ++t) busy.add(t);
      });
    assert.equal(unionBusy(parts, span), busy.size);
  }
});

test('a counter is weighted by time', () => {
  const points = { time: Float64Array.from([10, 20, 50]), value: Float64Array.from([1, 4, 9]) };
  assert.deepEqual(counterIn(points, { start: 15, end: 30 }, 100), { minimum: 1, maximum: 4, mean: 3 });
  assert.deepEqual(counterIn(points, { start: 60, end: 70 }, 100), { minimum: 9, maximum: 9, mean: 9 });
  assert.equal(counterIn(points, { start: 0, end: 10 }, 100), null);
});

const kWanted = () => true;

async function sumsOf(sample: Sample, span: { start: number; end: number }) {
  const report = new Report(sample.document, sample.source);
  const profiles = report.profiles.map(({ document }) => document);
  const tracks = nodesOf(profiles).flatMap(tracksOf);
  const store = new TrackStore(report, () => {});
  return (await sumArea(report, store, lanesOf(profiles, { by: 'time' }), { span, tracks }, kWanted))!;
}

/** By kind and name, straight from the events. */
function brute(sample: Sample, start: number, end: number): Map<string, [number, number]> {
  const sums = new Map<string, [number, number]>();
  for (const event of sample.events) {
    if (event.start < start || event.start >= end) continue;
    const { kind } = sample.document.profiles[event.profile]!.timeline.tracks[event.track]!;
    const sum = sums.get(`${event.profile}/${kind}/${event.name}`) ?? [0, 0];
    sums.set(`${event.profile}/${kind}/${event.name}`, [sum[0] + 1, sum[1] + event.end - event.start]);
  }
  return sums;
}

function byName(sums: Awaited<ReturnType<typeof sumsOf>>): Map<string, [number, number]> {
  const found = new Map<string, [number, number]>();
  for (const { profile, kind, rows } of sums.sections)
    for (const { name, count, total_ns } of rows) found.set(`${profile}/${kind}/${name}`, [count, total_ns]);
  return found;
}

const sortedEntries = (map: Map<string, [number, number]>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

test('sums of any selection are those of its events, through the whole file format', async () => {
  const sample = sampleReport({ events: 3000, gpus: 2, profiles: 2 });
  const random = randomOf(8);
  const span = sample.document.profiles[0]!.span_ns;
  for (let i = 0; i < 10; ++i) {
    const start = Math.floor(random() * span);
    const end = start + Math.floor(random() * span);
    const sums = await sumsOf(sample, { start, end });
    assert.deepEqual(sortedEntries(byName(sums)), sortedEntries(brute(sample, start, end)));
  }
});

test('merged or not, everything selected is everything there is', async () => {
  const sample = sampleReport({ events: 4000, merge: 8 });
  const { span_ns, timeline } = sample.document.profiles[0]!;
  assert.ok(timeline.slices < timeline.events / 2);
  const sums = await sumsOf(sample, { start: 0, end: span_ns + 1 });
  assert.deepEqual(sortedEntries(byName(sums)), sortedEntries(brute(sample, 0, Infinity)));
  assert.equal(sums.tile_ns, timeline.tiles!.tile_ns);
  assert.equal(sums.approximate, true);
});

test('a selection of merged slices is widened to whole tiles, and exact there', async () => {
  const sample = sampleReport({ events: 4000, merge: 8 });
  const sums = await sumsOf(sample, { start: 1_000_001, end: 7_654_321 });
  assert.ok(sums.span.start <= 1_000_001 && sums.span.end >= 7_654_321);
  assert.equal(sums.span.start % sums.tile_ns!, 0);
  assert.deepEqual(sortedEntries(byName(sums)), sortedEntries(brute(sample, sums.span.start, sums.span.end)));
});

test('a GPU is neither busy nor idle outside of its run', async () => {
  const sample = sampleReport({ events: 300, gpus: 2, merge: 8 });
  const { span_ns } = sample.document.profiles[0]!;
  const sums = await sumsOf(sample, { start: -span_ns, end: 3 * span_ns });
  assert.equal(sums.gpus.length, 2);
  for (const { busy_ns, idle_ns } of sums.gpus) assert.equal(busy_ns + idle_ns, span_ns);
});

test('CSV quotes what needs it', async () => {
  const row = { category: 'matrix' as const, count: 2, total_ns: 5, minimum_ns: null, maximum_ns: 3 };
  const sections = [{ profile: 0, kind: 'gpu' as const, rows: [{ ...row, name: 'a<1, 2>("x")' }] }];
  const sums = { span: { start: 0, end: 1 }, tile_ns: null, sections, gpus: [], approximate: false, counters: [] };
  assert.equal(
    csvOf(sums, ['run']).split('\n')[1],
    'run,GPU work,"a<1, 2>(""x"")","matrix product, convolution",2,5,2.5,,3',
  );
});
