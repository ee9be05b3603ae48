import type { Track } from './format.ts';

/** The slices of a track: rows one after the other, in each by start and without overlaps. Times in ns. */
export interface Slices {
  start: Float64Array;
  end: Float64Array;
  /** Index of Track.names. */
  name: Float64Array;
  /** Row r is [rowBegin[r], rowBegin[r + 1]). */
  rowBegin: number[];
  /** Index of Track.details, -1 for none; null where no slice has any. */
  detail: Float64Array | null;
  /** Track id and index of the launching call; -1 where not known. */
  launch: { track: Float64Array; index: Float64Array } | null;
  /** Slices that stand for several events, by index; null where there are none. */
  merged: MergedSlices | null;
}

/** Of millions of slices, so columns and no objects. */
export class MergedSlices {
  constructor(
    /** Indexes of slices, ascending. */
    readonly at: Float64Array,
    readonly count: Float64Array,
    readonly busy_ns: Float64Array,
  ) {}

  has(slice: number): boolean {
    return this.at[this.place(slice)] === slice;
  }

  get(slice: number): { count: number; busy_ns: number } | undefined {
    const place = this.place(slice);
    return this.at[place] === slice ? { count: this.count[place]!, busy_ns: this.busy_ns[place]! } : undefined;
  }

  /** The first that is not before the slice. */
  private place(slice: number): number {
    let low = 0;
    let high = this.at.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.at[middle]! < slice) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Holds from its time to the next. */
export interface CounterPoints {
  time: Float64Array;
  value: Float64Array;
}

function column(columns: Map<string, Float64Array>, name: string): Float64Array {
  const found = columns.get(name);
  if (!found) throw new Error(`a part of this report has no column ${name}`);
  return found;
}

function rowBegins(rows: number[]): number[] {
  const begins = [0];
  for (const count of rows) begins.push(begins.at(-1)! + count);
  return begins;
}

function mergedOf(columns: Map<string, Float64Array>): Slices['merged'] {
  const at = columns.get('merged_at');
  if (!at || at.length === 0) return null;
  return new MergedSlices(at, column(columns, 'merged_count'), column(columns, 'merged_busy_ns'));
}

export function decodeSlices(track: Track, columns: Map<string, Float64Array>): Slices {
  const gap = column(columns, 'gap');
  const duration = column(columns, 'duration');
  const rowBegin = rowBegins(track.rows);
  if (rowBegin.at(-1) !== gap.length) throw new Error(`track ${track.label} has other rows than slices`);
  const start = gap;
  const end = duration;
  for (let row = 0; row + 1 < rowBegin.length; ++row) {
    let at = 0;
    for (let i = rowBegin[row]!; i < rowBegin[row + 1]!; ++i) {
      start[i] = at += gap[i]!;
      end[i] = at += duration[i]!;
    }
  }
  const minusOne = (values: Float64Array | undefined) => values?.map((value) => value - 1) ?? null;
  const launchTrack = minusOne(columns.get('launch_track'));
  return {
    start,
    end,
    name: column(columns, 'name'),
    rowBegin,
    detail: minusOne(columns.get('detail')),
    launch: launchTrack && { track: launchTrack, index: column(columns, 'launch') },
    merged: mergedOf(columns),
  };
}

/** Columns of Timeline.tiles, ordered by track, name (index of Track.names) and tile. */
export interface TileColumns {
  tile_ns: number;
  track: Float64Array;
  name: Float64Array;
  tile: Float64Array;
  count: Float64Array;
  total_ns: Float64Array;
}

export function decodeTiles(tile_ns: number, columns: Map<string, Float64Array>): TileColumns {
  return {
    tile_ns,
    track: column(columns, 'track'),
    name: column(columns, 'name'),
    tile: column(columns, 'tile'),
    count: column(columns, 'count'),
    total_ns: column(columns, 'total_ns'),
  };
}

export function decodeCounter(columns: Map<string, Float64Array>): CounterPoints {
  return { time: column(columns, 'time'), value: column(columns, 'value') };
}
