import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  closedAtFirst,
  itemsBetween,
  keysAbove,
  layoutOf,
  nodesOf,
  tracksBetween,
  tracksOf,
  type Layout,
} from '../src/timeline/layout.ts';
import { named, profileOf, trackOf } from './timeline_samples.ts';

const kGpu = ['GPU 0', 'NVIDIA H100'];
const kMain = ['Process 1 python', 'Thread 1 main'];
const kWorker = ['Process 1 python', 'Thread 2 worker'];
const kTracks = [
  trackOf(0, 'gpu', kGpu, { rows: [3] }),
  trackOf(1, 'api', kMain, named('launch')),
  trackOf(2, 'range', kMain, { rows: [1, 1, 1] }),
  trackOf(3, 'os', kWorker),
];

const labels = (layout: Layout): string[] => layout.items.map(({ label, depth }) => ' '.repeat(depth) + label);

test('headings stand above their tracks; an only child is joined', () => {
  const nodes = nodesOf([profileOf('p', kTracks)]);
  const layout = layoutOf(nodes, closedAtFirst(nodes));
  assert.deepEqual(labels(layout), [
    'GPU 0 › NVIDIA H100',
    ' gpu 0',
    'Process 1 python',
    ' Thread 1 main',
    '  api 1',
    '  range 2',
    ' Thread 2 worker',
  ]);
});

test('a closed heading shows the track that tells most', () => {
  const nodes = nodesOf([profileOf('p', kTracks)]);
  const layout = layoutOf(nodes, new Set(nodes.map(({ key }) => key)));
  const summaries = layout.items.map((item) => (item.type === 'group' ? item.summary[0]?.track.id : -1));
  assert.deepEqual(summaries, [0, 1]);
});

test('a process of many threads that launch nothing is one line', () => {
  const workers = Array.from({ length: 100 }, (_, i) => trackOf(10 + i, 'os', ['Process 9 loader', `Thread ${i}`]));
  const nodes = nodesOf([profileOf('p', [...kTracks, ...workers])]);
  const layout = layoutOf(nodes, closedAtFirst(nodes));
  assert.equal(layout.items.at(-1)!.label, 'Process 9 loader');
  assert.equal(layout.items.length, 8);
});

test('where no thread launches all stay open', () => {
  const nodes = nodesOf([profileOf('p', [trackOf(0, 'os', kMain), trackOf(1, 'os', kWorker)])]);
  assert.equal(closedAtFirst(nodes).size, 0);
});

test('the same GPU of two ranks and of two profiles stands twice', () => {
  const ofRanks = [trackOf(0, 'gpu', kGpu), trackOf(1, 'gpu', kGpu, { rank: 1 })];
  const profiles = [profileOf('base', ofRanks, ['r0', 'r1']), profileOf('new', [trackOf(0, 'gpu', kGpu)])];
  assert.deepEqual(labels(layoutOf(nodesOf(profiles), new Set())), [
    'base',
    ' r0 › GPU 0 › NVIDIA H100',
    '  gpu 0',
    ' r1 › GPU 0 › NVIDIA H100',
    '  gpu 1',
    'new › GPU 0 › NVIDIA H100',
    ' gpu 0',
  ]);
});

test('items follow one another without holes, and are found by their place', () => {
  const layout = layoutOf(nodesOf([profileOf('p', kTracks)]), new Set());
  let y = 0;
  for (const item of layout.items) {
    assert.equal(item.y, y);
    y += item.height;
  }
  assert.equal(layout.height, y);
  for (let from = -10; from < y + 10; from += 7) {
    const [begin, end] = itemsBetween(layout, from, from + 33);
    const brute = layout.items.filter((item) => item.y + item.height > from && item.y < from + 33);
    assert.deepEqual(layout.items.slice(begin, end), brute);
  }
});

test('a folded track shows its outermost row', () => {
  const nodes = nodesOf([profileOf('p', kTracks)]);
  const tall = layoutOf(nodes, new Set()).items.find(({ key }) => key === '0/2')!;
  const flat = layoutOf(nodes, new Set(['0/2'])).items.find(({ key }) => key === '0/2')!;
  assert.ok(tall.type === 'track' && flat.type === 'track');
  assert.deepEqual([tall.rows, flat.rows], [3, 1]);
  assert.ok(flat.height < tall.height);
});

test('a closed heading stands for all tracks below it, an open one for none', () => {
  const nodes = nodesOf([profileOf('p', kTracks)]);
  const closed = new Set([nodes[1]!.key]);
  const layout = layoutOf(nodes, closed);
  const ids = (from: number, to: number) => tracksBetween(layout, from, to).map(({ track }) => track.id);
  assert.deepEqual(ids(0, 1), []);
  assert.deepEqual(ids(0, layout.height), [0, 1, 2, 3]);
  assert.deepEqual(nodes.flatMap(tracksOf).length, 4);
});

test('the way to a track', () => {
  const nodes = nodesOf([profileOf('p', kTracks)]);
  assert.deepEqual(keysAbove(nodes, '0/3'), ['0/0/Process 1 python', '0/0/Process 1 python/Thread 2 worker', '0/3']);
  assert.deepEqual(keysAbove(nodes, 'none'), []);
});

test('a rank that the path names too is said once, and so is a thread', () => {
  const path = (rank: number) => [`rank ${rank}`, 'Process 1 python', 'Thread 7 thread 7 (python)'];
  const tracks = [trackOf(0, 'api', path(0)), trackOf(1, 'api', path(1), { rank: 1 })];
  assert.deepEqual(labels(layoutOf(nodesOf([profileOf('p', tracks, ['rank 0', 'rank 1'])]), new Set())), [
    'rank 0 › Process 1 python › Thread 7 (python)',
    ' api 0',
    'rank 1 › Process 1 python › Thread 7 (python)',
    ' api 1',
  ]);
});

test('of very many streams those with little time are one closed line', () => {
  const streams = Array.from({ length: 100 }, (_, i) => trackOf(i, 'gpu', kGpu, { total_ns: (37 * i) % 101 }));
  const nodes = nodesOf([profileOf('p', [...streams, trackOf(200, 'counter', kGpu)])]);
  const layout = layoutOf(nodes, closedAtFirst(nodes));
  assert.equal(layout.items.length, 1 + 20 + 1 + 1);
  const more = layout.items.find(({ label }) => label === '80 more streams')!;
  assert.ok(more.type === 'group' && !more.open);
  assert.equal(layout.items.at(-2), more);
  const shown = layout.items.flatMap((item) =>
    item.type === 'track' && item.track.kind === 'gpu' ? [item.track] : [],
  );
  assert.ok(Math.min(...shown.map((track) => track.total_ns)) > Math.max(...more.tracks.map((t) => t.track.total_ns)));
  assert.deepEqual(
    shown.map(({ id }) => id),
    shown.map(({ id }) => id).toSorted((a, b) => a - b),
  );
  assert.equal(nodes.flatMap(tracksOf).length, 101);
  assert.equal(more.summary.at(-1)!.track.total_ns, Math.max(...more.tracks.map((t) => t.track.total_ns)));
});

test('a few streams more than usual need no heading', () => {
  const streams = Array.from({ length: 24 }, (_, i) => trackOf(i, 'gpu', kGpu));
  assert.equal(layoutOf(nodesOf([profileOf('p', streams)]), new Set()).items.length, 25);
});
