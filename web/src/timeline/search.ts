import type { Track } from '../data/format.ts';
import type { Slices } from '../data/slices.ts';
import { lowerBound, rowOf } from './row_index.ts';

/** Finding names: a part of them in any case, or /regular expression/. Pure. */

/** A test of names; a text that says what is wrong where the expression cannot be read; null for no query. */
export function matcherOf(query: string): ((name: string) => boolean) | string | null {
  if (query === '' || query === '/') return null;
  const expression = /^\/(.+?)\/?$/su.exec(query);
  if (query.startsWith('/') && query.length > 2 && query.endsWith('/') && expression) {
    try {
      const regex = new RegExp(expression[1]!, 'i');
      return (name) => regex.test(name);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  const part = query.toLowerCase();
  return (name) => name.toLowerCase().includes(part);
}

/** 1 for what matches, by index of Timeline.texts. */
export const searchTexts = (texts: readonly string[], test: (name: string) => boolean): Uint8Array =>
  Uint8Array.from(texts, (text) => (test(text) ? 1 : 0));

/** By index of Track.names; null where the track has none of them, so that it need not be decoded. */
export function matchingNames(track: Track, matching: Uint8Array): Uint8Array | null {
  const flags = Uint8Array.from(track.names, ([text]) => matching[text] ?? 0);
  return flags.includes(1) ? flags : null;
}

/** Slices with a flagged name, ascending, and the events that they stand for. */
export function hitsOf(slices: Slices, flags: Uint8Array): { hits: Int32Array; events: number } {
  const hits: number[] = [];
  let events = 0;
  for (let i = 0; i < slices.name.length; ++i) {
    if (flags[slices.name[i]!] !== 1) continue;
    hits.push(i);
    events += slices.merged?.get(i)?.count ?? 1;
  }
  return { hits: Int32Array.from(hits), events };
}

/** A slice on the axis, in the order in which a search goes through them. */
export interface Occurrence {
  start: number;
  /** Position of the track in the timeline. */
  track: number;
  slice: number;
}

export interface HitTrack {
  track: number;
  shift: number;
  slices: Slices;
  hits: Int32Array;
}

const order = (a: Occurrence, b: Occurrence): number => a.start - b.start || a.track - b.track || a.slice - b.slice;

/** Of one row's hits, the nearest after (or before) `from`. Binary search: hits ascend by start within a row. */
function nearestInRow(hit: HitTrack, begin: number, end: number, from: Occurrence, forward: boolean) {
  const at = (k: number): Occurrence => {
    const slice = hit.hits[k]!;
    return { start: hit.slices.start[slice]! + hit.shift, track: hit.track, slice };
  };
  let low = begin;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (forward ? order(at(middle), from) <= 0 : order(at(middle), from) < 0) low = middle + 1;
    else high = middle;
  }
  const k = forward ? low : low - 1;
  return k >= begin && k < end ? at(k) : null;
}

/** The next occurrence in time; from the last one on to the first, and back. null where there is none at all. */
export function nextOccurrence(tracks: readonly HitTrack[], from: Occurrence | null, forward: boolean) {
  const edge: Occurrence = { start: forward ? -Infinity : Infinity, track: 0, slice: 0 };
  const search = (origin: Occurrence): Occurrence | null => {
    let best: Occurrence | null = null;
    for (const hit of tracks) {
      const { rowBegin } = hit.slices;
      for (let row = 0; row + 1 < rowBegin.length; ++row) {
        const begin = lowerBound(hit.hits, 0, hit.hits.length, rowBegin[row]!);
        const end = lowerBound(hit.hits, begin, hit.hits.length, rowBegin[row + 1]!);
        const found = nearestInRow(hit, begin, end, origin, forward);
        if (found && (!best || (forward ? order(found, best) < 0 : order(found, best) > 0))) best = found;
      }
    }
    return best;
  };
  return search(from ?? edge) ?? search(edge);
}

/** The first occurrences in time, `most` at most. Within a row hits ascend by start. */
export function firstOccurrences(tracks: readonly HitTrack[], most: number): Occurrence[] {
  const found = tracks.flatMap(({ track, shift, slices, hits }) =>
    rowsOfHits(slices, hits).flatMap(([begin, end]) =>
      Array.from(hits.subarray(begin, Math.min(end, begin + most)), (slice) => ({
        start: slices.start[slice]! + shift,
        track,
        slice,
      })),
    ),
  );
  return found.sort(order).slice(0, most);
}

/** Of each row with hits, where they begin and end. */
function rowsOfHits({ rowBegin }: Slices, hits: Int32Array): [number, number][] {
  const rows: [number, number][] = [];
  for (let row = 0; row + 1 < rowBegin.length; ++row) {
    const begin = lowerBound(hits, 0, hits.length, rowBegin[row]!);
    const end = lowerBound(hits, begin, hits.length, rowBegin[row + 1]!);
    if (end > begin) rows.push([begin, end]);
  }
  return rows;
}

/** The next slice of the same row with the same name, or any; -1 at the end. */
export function neighbour(slices: Slices, i: number, forward: boolean, sameName: boolean): number {
  const row = rowOf(slices, i);
  const step = forward ? 1 : -1;
  for (let k = i + step; k >= slices.rowBegin[row]! && k < slices.rowBegin[row + 1]!; k += step)
    if (!sameName || slices.name[k] === slices.name[i]) return k;
  return -1;
}
