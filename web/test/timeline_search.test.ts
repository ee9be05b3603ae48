import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  hitsOf,
  matcherOf,
  matchingNames,
  neighbour,
  nextOccurrence,
  searchTexts,
  type HitTrack,
  type Occurrence,
} from '../src/timeline/search.ts';
import { kOddNames } from './sample_timeline.ts';
import { randomRow, slicesOf, trackOf, oneMerged } from './timeline_samples.ts';

function found(texts: readonly string[], query: string): string[] {
  const test = matcherOf(query);
  assert.ok(typeof test === 'function', `no test for ${query}: ${test}`);
  const matching = searchTexts(texts, test);
  return texts.filter((_, i) => matching[i] === 1);
}

test('a part of a name in any case', () => {
  assert.deepEqual(found(['cudaLaunchKernel', 'cudaMalloc', 'poll'], 'LAUNCH'), ['cudaLaunchKernel']);
  assert.deepEqual(found(['a.b', 'axb'], 'a.b'), ['a.b']);
  assert.deepEqual(found(['GPU/host', 'host'], '/host'), ['GPU/host']);
});

test('an expression between slashes', () => {
  assert.deepEqual(found(['gemm_128', 'gemm_64', 'Gemm_1'], '/gemm_1\\d*$/'), ['gemm_128', 'Gemm_1']);
});

test('an expression that cannot be read says so, and nothing asks for nothing', () => {
  assert.equal(typeof matcherOf('/(/'), 'string');
  assert.equal(matcherOf(''), null);
});

test('odd names are names', () => {
  assert.deepEqual(found(kOddNames, '<img'), [kOddNames[0]]);
  assert.deepEqual(found(kOddNames, '🚀'), [kOddNames[2]]);
  assert.deepEqual(found(kOddNames, 'المصفوفات'), [kOddNames[3]]);
});

test('tracks without a matching name need not be decoded', () => {
  const track = trackOf(0, 'gpu', [], {
    names: [
      [2, 'kernel'],
      [0, 'copy'],
    ],
  });
  assert.equal(matchingNames(track, Uint8Array.from([0, 1, 0])), null);
  assert.deepEqual(matchingNames(track, Uint8Array.from([1, 1, 0])), Uint8Array.from([0, 1]));
});

test('merged slices count all their events', () => {
  const slices = slicesOf(
    [
      [
        [0, 1, 0],
        [2, 3, 1],
        [4, 5, 0],
      ],
    ],
    oneMerged(2, 10, 1),
  );
  const { hits, events } = hitsOf(slices, Uint8Array.from([1, 0]));
  assert.deepEqual(Array.from(hits), [0, 2]);
  assert.equal(events, 11);
});

function hitTracks(): HitTrack[] {
  return [0, 1, 2].map((track) => {
    const slices = slicesOf([randomRow(60 + track, 50, 3), randomRow(70 + track, 30, 3)]);
    return { track, shift: track === 2 ? -500 : 0, slices, hits: hitsOf(slices, Uint8Array.from([0, 1, 0])).hits };
  });
}

test('going on visits every occurrence once, in time, and begins again', () => {
  const tracks = hitTracks();
  const all = tracks.flatMap(({ track, shift, slices, hits }) =>
    Array.from(hits, (slice) => ({ start: slices.start[slice]! + shift, track, slice })),
  );
  all.sort((a, b) => a.start - b.start || a.track - b.track || a.slice - b.slice);
  for (const forward of [true, false]) {
    const expected = forward ? all : [...all].reverse();
    let at: Occurrence | null = null;
    for (const one of expected) {
      at = nextOccurrence(tracks, at, forward);
      assert.deepEqual(at, one);
    }
    assert.deepEqual(nextOccurrence(tracks, at, forward), expected[0]);
  }
});

test('without hits there is nowhere to go', () => {
  const slices = slicesOf([[[0, 1, 0]]]);
  assert.equal(nextOccurrence([{ track: 0, shift: 0, slices, hits: new Int32Array() }], null, true), null);
});

test('neighbours stay in their row', () => {
  const slices = slicesOf([
    [
      [0, 1, 0],
      [2, 3, 1],
      [4, 5, 0],
    ],
    [[0, 9, 0]],
  ]);
  assert.equal(neighbour(slices, 0, true, false), 1);
  assert.equal(neighbour(slices, 0, true, true), 2);
  assert.equal(neighbour(slices, 2, true, false), -1);
  assert.equal(neighbour(slices, 3, false, false), -1);
});
