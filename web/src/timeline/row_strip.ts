import type { Slices } from '../data/slices.ts';
import type { ColumnMemory } from './column_memory.ts';
import { mix, type Palette, type Pixel } from './palette.ts';
import { busyIn, density, firstFrom, gallop, longestSlice, lowerBound, type SliceIndex } from './row_index.ts';

/**
 * One row of the timeline as one line of pixels. Slices of some width are runs of their own with a gap at their end;
 * what is narrower is told by pixel columns: the colour of the longest slice, the stronger the busier the column is.
 * The work grows with the width of the screen and with log n, not with the number of slices. Pure.
 */
export interface Row {
  slices: Slices;
  index: SliceIndex;
  /** Slices [begin, end) of the track. */
  begin: number;
  end: number;
  /** Indexes of slices to bring forward in dense places, ascending; null for none. */
  hits: Int32Array | null;
}

export interface StripView {
  /** Time at the left edge, on the row's own clock. */
  start: number;
  nsPerPixel: number;
  /** Device pixels. */
  width: number;
  /** Device pixels that a dense column takes: the device's pixels for each CSS pixel. */
  column: number;
}

/** Slices wide enough to carry a text; x in device pixels, cut off at the edges. Kept from frame to frame. */
export interface WideSlices {
  count: number;
  slice: Int32Array;
  x0: Int32Array;
  x1: Int32Array;
}

export const wideSlices = (most: number): WideSlices => ({
  count: 0,
  slice: new Int32Array(most),
  x0: new Int32Array(most),
  x1: new Int32Array(most),
});

/** CSS pixels from which a slice is a run of its own. */
export const kRunWidth = 2;
/** What is nearly empty is still seen. */
const kFaintest = 0.3;
const kGapShare = 0.35;

const clip = (x: number, width: number): number => (x < 0 ? 0 : x > width ? width : x);

/** The weight of a merged slice's colour: by its busy share. */
export const mergedShare = (busy: number): number => 0.25 + 0.5 * busy;

class RowPainter {
  private x = 0;
  private hit = 0;
  private readonly step: number;

  constructor(
    private readonly row: Row,
    private readonly view: StripView,
    private readonly palette: Palette,
    private readonly ground: Pixel,
    private readonly out: Uint32Array,
    private readonly wide: WideSlices,
    private readonly labelWidth: number,
    private readonly memory: ColumnMemory | null,
  ) {
    this.step = view.nsPerPixel * view.column;
    memory?.begin(this.step, palette, row.hits, ground);
  }

  paint(): void {
    const { row, view, step } = this;
    const { start, end } = row.slices;
    const run = kRunWidth * view.column * view.nsPerPixel;
    const first = Math.floor(view.start / step);
    const last = Math.ceil((view.start + view.width * view.nsPerPixel) / step);
    let column = first;
    let i = row.begin;
    while (column < last) {
      const from = column * step;
      i = firstFrom(row.slices, i, row.end, from);
      if (i >= row.end) break;
      if (start[i]! >= from + step) {
        column = Math.max(column + 1, Math.floor(start[i]! / step));
      } else if (end[i]! - start[i]! >= run) {
        this.run(i);
        column = Math.max(column, Math.floor(end[i]! / step));
        ++i;
      } else {
        i = this.dense(i, column);
        ++column;
      }
    }
  }

  private pixelAt(time: number): number {
    return Math.round((time - this.view.start) / this.view.nsPerPixel);
  }

  private run(i: number): void {
    const { slices } = this.row;
    const { width } = this.view;
    const right = this.pixelAt(slices.end[i]!);
    const x0 = clip(this.pixelAt(slices.start[i]!), width);
    const x1 = clip(right, width);
    if (x1 <= x0) return;
    const merged = slices.merged?.has(i) ?? false;
    const own = this.palette.pixel[slices.name[i]!]!;
    const colour = merged ? mix(this.ground, own, mergedShare(density(slices, i))) : own;
    this.out.fill(colour, x0, x1);
    if (x1 === right && x1 > 0) this.out[x1 - 1] = mix(this.ground, colour, kGapShare);
    this.x = x1;
    if (merged || x1 - x0 >= this.labelWidth) this.note(i, x0, x1);
  }

  private note(i: number, x0: number, x1: number): void {
    const { wide } = this;
    if (wide.count >= wide.slice.length) return;
    wide.slice[wide.count] = i;
    wide.x0[wide.count] = x0;
    wide.x1[wide.count++] = x1;
  }

  /** Paints a column whose first slice is i; gives its last, which can reach into the next. */
  private dense(i: number, column: number): number {
    const { memory, view } = this;
    const slot = memory ? memory.find(column, i) : -1;
    const last = slot >= 0 ? memory!.lastOf(slot) : this.lastIn(i, column);
    const colour = slot >= 0 ? memory!.colourOf(slot) : this.colourIn(i, last + 1, column);
    if (slot < 0) memory?.put(column, i, last, colour);
    const x = this.pixelAt(column * this.step);
    const x0 = Math.max(this.x, clip(x, view.width));
    const x1 = Math.max(x0, clip(x + view.column, view.width));
    for (let at = x0; at < x1; ++at) this.out[at] = colour;
    this.x = x1;
    return last;
  }

  private lastIn(i: number, column: number): number {
    const { slices, end } = this.row;
    return gallop(slices.start, i, end, (column + 1) * this.step) - 1;
  }

  private colourIn(begin: number, end: number, column: number): Pixel {
    const { slices, index } = this.row;
    const from = column * this.step;
    const share = busyIn(slices, index, begin, end, from, from + this.step) / this.step;
    const most = this.hitIn(begin, end) ?? longestSlice(slices, index, begin, end);
    // A moment is as strong as it can be: it has no time to be busy in.
    const moment = slices.start[most] === slices.end[most];
    const weight = moment ? 1 : kFaintest + (1 - kFaintest) * Math.min(1, Math.max(0, share));
    return mix(this.ground, this.palette.pixel[slices.name[most]!]!, weight);
  }

  private hitIn(begin: number, end: number): number | undefined {
    const { hits } = this.row;
    if (!hits) return undefined;
    if (this.hit === 0) this.hit = lowerBound(hits, 0, hits.length, begin);
    this.hit = gallop(hits, this.hit, hits.length, begin);
    const found = hits[this.hit];
    return found !== undefined && found < end ? found : undefined;
  }
}

/**
 * Paints on `ground` into `out` (width pixels), not where nothing is, and lists what is wide in `wide`. `memory`
 * is this row's own.
 */
export function paintStrip(
  row: Row,
  view: StripView,
  palette: Palette,
  ground: Pixel,
  out: Uint32Array,
  wide: WideSlices,
  labelWidth: number,
  memory: ColumnMemory | null = null,
): void {
  new RowPainter(row, view, palette, ground, out, wide, labelWidth, memory).paint();
}

/** The slice that a pointer means: the one at its time, else the longest within `reach` ns; -1 where there is none. */
export function sliceAt(row: Row, time: number, reach: number): number {
  const { slices, index } = row;
  const begin = firstFrom(slices, row.begin, row.end, time - reach);
  const end = Math.max(begin, gallop(slices.start, begin, row.end, time + reach));
  if (begin === end) return -1;
  const exact = gallop(slices.start, begin, end, time) - 1;
  const covers = (i: number) => i >= begin && i < end && slices.start[i]! <= time && time < slices.end[i]!;
  if (covers(exact) && slices.end[exact]! - slices.start[exact]! >= 2 * reach) return exact;
  if (covers(exact + 1)) return exact + 1;
  return longestSlice(slices, index, begin, end);
}
