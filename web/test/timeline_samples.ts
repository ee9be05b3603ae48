/** Small rows for the timeline's tests. */
import type { Category, ProfileDocument, Track, TrackKind } from '../src/data/format.ts';
import { MergedSlices, type Slices } from '../src/data/slices.ts';
import { indexSlices } from '../src/timeline/row_index.ts';
import type { Row } from '../src/timeline/row_strip.ts';
import { profileSkeleton, randomOf } from './sample_timeline.ts';

export type Triple = [start: number, end: number, name: number];

export function slicesOf(rows: Triple[][], merged: Slices['merged'] = null): Slices {
  const all = rows.flat();
  const rowBegin = [0];
  for (const row of rows) rowBegin.push(rowBegin.at(-1)! + row.length);
  return {
    start: Float64Array.from(all, ([start]) => start),
    end: Float64Array.from(all, ([, end]) => end),
    name: Float64Array.from(all, ([, , name]) => name),
    rowBegin,
    detail: null,
    launch: null,
    merged,
  };
}

/** One slice that stands for several events. */
export const oneMerged = (slice: number, count: number, busy_ns: number): MergedSlices =>
  new MergedSlices(Float64Array.of(slice), Float64Array.of(count), Float64Array.of(busy_ns));

/** Slices that touch, leave gaps, and now and then have no length. */
export function randomRow(seed: number, count: number, names = 5): Triple[] {
  const random = randomOf(seed);
  let now = Math.floor(random() * 10);
  return Array.from({ length: count }, () => {
    const start = now + (random() < 0.4 ? 0 : Math.floor(random() * 30));
    const length = random() < 0.1 ? 0 : Math.ceil(random() ** 4 * 200);
    // Never two slices without length at one time: the order of these means nothing.
    now = start + Math.max(length, 1);
    return [start, start + length, Math.floor(random() * names)];
  });
}

export function rowOfSlices(slices: Slices, row = 0, hits: Int32Array | null = null): Row {
  return { slices, index: indexSlices(slices), begin: slices.rowBegin[row]!, end: slices.rowBegin[row + 1]!, hits };
}

export function trackOf(id: number, kind: TrackKind, path: string[], more: Partial<Track> = {}): Track {
  return {
    id,
    kind,
    label: `${kind} ${id}`,
    path,
    place: path.at(-1) ?? '',
    rank: 0,
    events: 1,
    total_ns: id,
    rows: [1],
    names: [],
    details: null,
    data: { id: '', bytes: 0, columns: [] },
    counter: null,
    ...more,
  };
}

export const named = (category: Category): Partial<Track> => ({ names: [[0, category]] });

export function profileOf(label: string, tracks: Track[], ranks = ['']): ProfileDocument {
  const document = profileSkeleton(label);
  document.timeline.tracks = tracks;
  document.timeline.ranks = ranks;
  return document;
}
