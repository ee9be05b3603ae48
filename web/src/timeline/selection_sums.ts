import type { Category, TrackKind, TrackName } from '../data/format.ts';
import type { CounterPoints, Slices, TileColumns } from '../data/slices.ts';
import { busyOf, firstFrom, lowerBound } from './row_index.ts';
import type { Span } from './viewport.ts';

/**
 * Sums over a selected span. An event counts whole if it begins within [start, end), so that the sums of everything
 * are those of the statistics tables. Pure; all times on the track's own clock.
 */
export interface NameSum {
  name: string;
  category: Category;
  count: number;
  total_ns: number;
  /** null where events were merged. */
  minimum_ns: number | null;
  maximum_ns: number | null;
}

export interface Section {
  profile: number;
  kind: TrackKind;
  rows: NameSum[];
}

/** GPU work first, as people look for it. */
const kOrder: TrackKind[] = [
  'gpu',
  'projection',
  'idle',
  'api',
  'range',
  'library',
  'os',
  'scheduling',
  'sample',
  'step',
  'mark',
  'overhead',
];

/** Adds up tracks by profile, kind, category and name. */
export class Sums {
  private readonly sections = new Map<string, { section: Section; byName: Map<string, NameSum> }>();

  add(profile: number, kind: TrackKind, name: string, category: Category, part: Omit<NameSum, 'name' | 'category'>) {
    const row = this.rowOf(profile, kind, name, category);
    row.count += part.count;
    row.total_ns += part.total_ns;
    const known = row.minimum_ns !== null && part.minimum_ns !== null;
    row.minimum_ns = known ? Math.min(row.minimum_ns!, part.minimum_ns!) : null;
    row.maximum_ns = known ? Math.max(row.maximum_ns!, part.maximum_ns!) : null;
  }

  done(): Section[] {
    const sections = Array.from(this.sections.values(), ({ section, byName }) => ({
      ...section,
      rows: [...byName.values()].sort((a, b) => b.total_ns - a.total_ns || b.count - a.count),
    }));
    return sections.sort((a, b) => a.profile - b.profile || kOrder.indexOf(a.kind) - kOrder.indexOf(b.kind));
  }

  private rowOf(profile: number, kind: TrackKind, name: string, category: Category): NameSum {
    const key = `${profile}/${kind}`;
    let entry = this.sections.get(key);
    if (!entry) this.sections.set(key, (entry = { section: { profile, kind, rows: [] }, byName: new Map() }));
    const rowKey = `${category}/${name}`;
    let row = entry.byName.get(rowKey);
    if (!row) {
      row = { name, category, count: 0, total_ns: 0, minimum_ns: Infinity, maximum_ns: 0 };
      entry.byName.set(rowKey, row);
    }
    return row;
  }
}

export interface SumTrack {
  profile: number;
  kind: TrackKind;
  names: readonly TrackName[];
  texts: readonly string[];
}

/** Adds the slices that begin in the span. */
export function addSlices(sums: Sums, track: SumTrack, slices: Slices, span: Span): void {
  const many = track.names.length;
  const count = new Float64Array(many);
  const total = new Float64Array(many);
  const least = new Float64Array(many).fill(Infinity);
  const most = new Float64Array(many);
  const merged = new Uint8Array(many);
  for (let row = 0; row + 1 < slices.rowBegin.length; ++row) {
    const end = slices.rowBegin[row + 1]!;
    for (let i = lowerBound(slices.start, slices.rowBegin[row]!, end, span.start); i < end; ++i) {
      if (slices.start[i]! >= span.end) break;
      const name = slices.name[i]!;
      const together = slices.merged?.get(i);
      const length = together?.busy_ns ?? slices.end[i]! - slices.start[i]!;
      count[name]! += together?.count ?? 1;
      total[name]! += length;
      if (together) merged[name] = 1;
      if (length < least[name]!) least[name] = length;
      if (length > most[name]!) most[name] = length;
    }
  }
  track.names.forEach(([text, category], i) => {
    if (count[i] === 0) return;
    const exact = merged[i] === 0;
    sums.add(track.profile, track.kind, track.texts[text] ?? '', category, {
      count: count[i]!,
      total_ns: total[i]!,
      minimum_ns: exact ? least[i]! : null,
      maximum_ns: exact ? most[i]! : null,
    });
  });
}

/** The span widened to whole tiles. */
export const tileSpan = (span: Span, tile_ns: number): Span => ({
  start: Math.floor(Math.max(0, span.start) / tile_ns) * tile_ns,
  end: Math.ceil(span.end / tile_ns) * tile_ns,
});

/** Adds what tiles say of a track; false where they say nothing of it. */
export function addTiles(sums: Sums, track: SumTrack, id: number, tiles: TileColumns, span: Span): boolean {
  const begin = lowerBound(tiles.track, 0, tiles.track.length, id);
  const end = lowerBound(tiles.track, begin, tiles.track.length, id + 1);
  const first = Math.round(span.start / tiles.tile_ns);
  const last = Math.round(span.end / tiles.tile_ns);
  for (let i = begin; i < end; ++i) {
    if (tiles.tile[i]! < first || tiles.tile[i]! >= last) continue;
    const [text, category] = track.names[tiles.name[i]!]!;
    const part = { count: tiles.count[i]!, total_ns: tiles.total_ns[i]!, minimum_ns: null, maximum_ns: null };
    sums.add(track.profile, track.kind, track.texts[text] ?? '', category, part);
  }
  return end > begin;
}

interface RowCursor {
  slices: Slices;
  at: number;
  end: number;
}

const startOf = ({ slices, at, end }: RowCursor): number => (at < end ? slices.start[at]! : Infinity);

/** Lets the first row of a heap by start sink to its place. */
function sink(heap: RowCursor[]): void {
  for (let i = 0; ;) {
    let least = i;
    for (const child of [2 * i + 1, 2 * i + 2])
      if (child < heap.length && startOf(heap[child]!) < startOf(heap[least]!)) least = child;
    if (least === i) return;
    [heap[i], heap[least]] = [heap[least]!, heap[i]!];
    i = least;
  }
}

/** ns of the span in which at least one of the rows is busy. A merged slice counts its busy time, at its start. */
export function unionBusy(tracks: readonly Slices[], span: Span): number {
  const rows: RowCursor[] = tracks.flatMap((slices) =>
    slices.rowBegin.slice(0, -1).map((begin, row) => {
      const end = slices.rowBegin[row + 1]!;
      return { slices, at: firstFrom(slices, begin, end, span.start), end };
    }),
  );
  // In ascending order rows are a heap.
  rows.sort((a, b) => (startOf(a) === startOf(b) ? 0 : startOf(a) - startOf(b)));
  const union = { busy: 0, until: span.start, end: span.end };
  for (let next = rows[0]; next; sink(rows)) {
    next = rows[0]!;
    if (startOf(next) >= span.end) break;
    const others = Math.min(rows[1] ? startOf(rows[1]) : Infinity, rows[2] ? startOf(rows[2]) : Infinity);
    addWhileFirst(next, others, union);
  }
  return union.busy;
}

/** Adds slices of a row until one of another row begins before its next. */
function addWhileFirst(row: RowCursor, others: number, union: { busy: number; until: number; end: number }): void {
  const { slices, end: last } = row;
  const { start: starts, end: ends, merged } = slices;
  let { busy, until } = union;
  let at = row.at;
  do {
    const start = starts[at]!;
    const end = Math.min(merged ? start + busyOf(slices, at) : ends[at]!, union.end);
    if (end > until) {
      busy += end - (start > until ? start : until);
      until = end;
    }
    ++at;
  } while (at < last && starts[at]! <= others && starts[at]! < union.end);
  row.at = at;
  union.busy = busy;
  union.until = until;
}

export interface CounterSum {
  minimum: number;
  maximum: number;
  /** Weighted by the time for which values hold. */
  mean: number;
}

/** Values hold from their time to the next; null where none holds in the span. */
export function counterIn(points: CounterPoints, span: Span, runEnd: number): CounterSum | null {
  const { time, value } = points;
  let i = Math.max(0, lowerBound(time, 0, time.length, span.start + 1) - 1);
  let weight = 0;
  let sum = 0;
  let minimum = Infinity;
  let maximum = -Infinity;
  for (; i < time.length && time[i]! < span.end; ++i) {
    const held = Math.min(time[i + 1] ?? runEnd, span.end) - Math.max(time[i]!, span.start);
    if (held <= 0 || Number.isNaN(value[i])) continue;
    weight += held;
    sum += held * value[i]!;
    minimum = Math.min(minimum, value[i]!);
    maximum = Math.max(maximum, value[i]!);
  }
  return weight === 0 ? null : { minimum, maximum, mean: sum / weight };
}

/** Events of a track whose names are flagged; null where the tiles say nothing of the track. */
export function eventsOfTiles(tiles: TileColumns, id: number, flags: Uint8Array): number | null {
  const begin = lowerBound(tiles.track, 0, tiles.track.length, id);
  const end = lowerBound(tiles.track, begin, tiles.track.length, id + 1);
  let events = 0;
  for (let i = begin; i < end; ++i) if (flags[tiles.name[i]!] === 1) events += tiles.count[i]!;
  return begin === end ? null : events;
}
