import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Report } from '../src/data/report.ts';
import { counterColumns, extremes, indexCounter, valueAt } from '../src/timeline/counter_index.ts';
import { sliceNamed, tracksOfPlace } from '../src/timeline/focus_place.ts';
import { commandOf } from '../src/timeline/keyboard.ts';
import { commonSteps, lanesOf, severalLanes, stepSpan } from '../src/timeline/lanes.ts';
import { launchedBy } from '../src/timeline/launches.ts';
import { indexSlices } from '../src/timeline/row_index.ts';
import { mix, parseColour } from '../src/timeline/palette.ts';
import { randomOf, sampleReport } from './sample_timeline.ts';
import { profileOf, slicesOf, trackOf } from './timeline_samples.ts';

function stepped(label: string, starts: number[][], span_ns: number) {
  const document = profileOf(
    label,
    [],
    starts.map((_, rank) => `r${rank}`),
  );
  const none: number[] = [];
  const rest = { end_ns: none, gpu_busy_ns: none, kernels: none, launches: none, copy_bytes: none };
  document.span_ns = span_ns;
  const ranks = starts.map((start_ns, rank) => ({ rank, start_ns, ...rest })).filter(({ start_ns }) => start_ns.length);
  document.steps = { range: 'step', warm_up: 0, ranks };
  return document;
}

test('aligned by time all ranks keep the common clock', () => {
  const lanes = lanesOf([stepped('a', [[5], [9]], 100)], { by: 'time' });
  assert.equal(lanes.shift(0, 1), 0);
  assert.deepEqual(lanes.bounds, { start: 0, end: 100 });
});

test('aligned by step each rank’s step begins at 0', () => {
  const profiles = [
    stepped(
      'base',
      [
        [10, 40],
        [13, 48],
      ],
      100,
    ),
    stepped('new', [[20, 30], []], 60),
  ];
  const lanes = lanesOf(profiles, { by: 'step', step: 1 });
  assert.deepEqual([lanes.shift(0, 0), lanes.shift(0, 1), lanes.shift(1, 0), lanes.shift(1, 1)], [-40, -48, -30, -30]);
  assert.deepEqual(lanes.bounds, { start: -48, end: 60 });
  assert.equal(commonSteps(profiles), 2);
  assert.equal(severalLanes(profiles), true);
  assert.equal(severalLanes([stepped('one', [[1]], 9)]), false);
});

test('a step’s span is its longest turn on any rank', () => {
  const profile = stepped(
    'a',
    [
      [10, 40],
      [13, 48],
    ],
    100,
  );
  profile.steps!.ranks[0]!.end_ns = [30, 55];
  profile.steps!.ranks[1]!.end_ns = [33, 90];
  assert.deepEqual(stepSpan([profile], 1), { start: 0, end: 42 });
  assert.deepEqual(stepSpan([profile], 7), { start: 0, end: 1 });
});

test('a counter’s columns hold what lies in them and what holds on', () => {
  const random = randomOf(9);
  const time = Float64Array.from({ length: 400 }, (_, i) => 10 * i + Math.floor(random() * 9));
  const points = { time, value: time.map(() => Math.floor(random() * 100)) };
  const index = indexCounter(points);
  const low = new Float64Array(50);
  const high = new Float64Array(50);
  const [start, step] = [33, 71];
  counterColumns(index, start, step, low, high);
  low.forEach((least, k) => {
    const [from, to] = [start + k * step, start + (k + 1) * step];
    const values = Array.from(points.value).filter(
      (_, i) => points.time[i]! < to && (points.time[i + 1] ?? Infinity) > from,
    );
    assert.deepEqual([least, high[k]], [Math.min(...values), Math.max(...values)], `column ${k}`);
  });
  assert.deepEqual(extremes(index, 3, 3), [Infinity, -Infinity]);
  assert.equal(valueAt(points, -1), undefined);
  assert.equal(valueAt(points, time[7]!), points.value[7]);
});

test('the place of a finding is its streams, then its ranges', () => {
  const tracks = [trackOf(0, 'idle', ['GPU 0']), trackOf(1, 'gpu', ['GPU 0']), trackOf(2, 'gpu', ['GPU 1'])];
  const refs = tracks.map((track) => ({ profile: 0, track }));
  const focus = { profile: 0, start_ns: 0, end_ns: 1, place: 'GPU 0' };
  assert.deepEqual(
    tracksOfPlace(refs, focus).map(({ track }) => track.id),
    [1, 0],
  );
  assert.deepEqual(tracksOfPlace(refs, { ...focus, profile: 1 }), []);
});

test('a slice is found by its name or a part of it in the span', () => {
  const slices = slicesOf([
    [
      [0, 10, 0],
      [20, 30, 1],
      [40, 50, 0],
    ],
  ]);
  const track = trackOf(0, 'gpu', [], {
    names: [
      [0, 'kernel'],
      [1, 'kernel'],
    ],
  });
  const loaded = { kind: 'slices' as const, texts: ['gemm_long', 'gemm'], slices, index: indexSlices(slices) };
  assert.equal(sliceNamed(loaded, track, { start: 5, end: 45 }, 'gemm'), 1);
  assert.equal(sliceNamed(loaded, track, { start: 5, end: 45 }, 'long'), 0);
  assert.equal(sliceNamed(loaded, track, { start: 31, end: 45 }, 'gemm'), 2);
  assert.equal(sliceNamed(loaded, track, { start: 12, end: 18 }, 'gemm'), -1);
});

test('launches lead back to all that a call launched', async () => {
  const { document, source, events } = sampleReport({ events: 500 });
  const report = new Report(document, source);
  const { tracks } = document.profiles[0]!.timeline;
  const api = tracks.find(({ kind }) => kind === 'api')!;
  const calls = await report.profiles[0]!.slices(api);
  let linked = 0;
  for (const track of tracks.filter(({ kind }) => kind === 'gpu')) {
    const slices = await report.profiles[0]!.slices(track);
    calls.start.forEach((start, call) => {
      for (const i of launchedBy(slices, api.id, call)) {
        assert.ok(slices.start[i]! > start);
        ++linked;
      }
    });
  }
  const gpuEvents = events.filter(({ track }) => tracks[track]!.kind === 'gpu').length;
  assert.equal(linked, gpuEvents);
});

test('keys are those of Perfetto, and none of the browser’s own', () => {
  const press = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
  assert.equal(commandOf({ ...press, key: 'w' }), 'zoom-in');
  assert.equal(commandOf({ ...press, key: 'D' }), 'pan-right');
  assert.equal(commandOf({ ...press, key: 'a', ctrlKey: true }), 'select-all');
  assert.equal(commandOf({ ...press, key: 'f', metaKey: true }), 'search');
  assert.equal(commandOf({ ...press, key: 'w', ctrlKey: true }), null);
  assert.equal(commandOf({ ...press, key: 'ArrowRight', altKey: true }), 'next-slice');
  assert.equal(commandOf({ ...press, key: 'Tab' }), null);
});

test('colours become pixels', () => {
  assert.equal(parseColour('hsl(0 100% 50%)'), 0xff0000ff);
  assert.equal(parseColour('hsl(120 100% 25%)'), 0xff008000);
  assert.equal(parseColour('rgb(1, 2, 3)'), 0xff030201);
  assert.equal(parseColour('#102030'), 0xff302010);
  assert.equal(mix(0xff000000, 0xffffffff, 0), 0xff000000);
  assert.equal(mix(0xff000000, 0xffc86432, 1), 0xffc86432);
  assert.equal(mix(0xff000000, 0xff804020, 0.5), 0xff402010);
});
