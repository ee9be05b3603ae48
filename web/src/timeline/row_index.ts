import { MergedSlices, type Slices } from '../data/slices.ts';

/**
 * What makes questions about a span of a row cheap whatever its number of slices: sums of busy time from the left, and
 * the longest slice of any range. Both count over the whole track; rows are ranges of it. Pure.
 */
export interface SliceIndex {
  /** busyBefore[i]: busy ns of all slices before i, n + 1 values. */
  busyBefore: Float64Array;
  /** longest[level][b]: index of the longest slice of the 2^level blocks from block b on. */
  longest: Int32Array[];
}

/** Smaller: quicker questions, more memory (4 bytes a block and level). */
const kBlockBits = 3;
const kBlock = 1 << kBlockBits;

export const busyOf = (slices: Slices, i: number): number =>
  slices.merged?.get(i)?.busy_ns ?? slices.end[i]! - slices.start[i]!;

const kNothingMerged = new MergedSlices(new Float64Array(0), new Float64Array(0), new Float64Array(0));

function busySums(slices: Slices): Float64Array {
  const { start, end } = slices;
  const sums = new Float64Array(start.length + 1);
  const { at, busy_ns } = slices.merged ?? kNothingMerged;
  let next = 0;
  let sum = 0;
  for (let i = 0; i < start.length; ++i) {
    sum += at[next] === i ? busy_ns[next++]! : end[i]! - start[i]!;
    sums[i + 1] = sum;
  }
  return sums;
}

function longestIn(slices: Slices, begin: number, end: number): number {
  const { start: from, end: to } = slices;
  let best = begin;
  let length = to[begin]! - from[begin]!;
  for (let i = begin + 1; i < end; ++i) {
    const other = to[i]! - from[i]!;
    if (other > length) {
      best = i;
      length = other;
    }
  }
  return best;
}

const longer = (slices: Slices, a: number, b: number): number =>
  slices.end[b]! - slices.start[b]! > slices.end[a]! - slices.start[a]! ? b : a;

function longestOfBlocks(slices: Slices): Int32Array[] {
  const count = slices.start.length;
  const first = new Int32Array(Math.ceil(count / kBlock));
  for (let b = 0; b < first.length; ++b) first[b] = longestIn(slices, b * kBlock, Math.min(count, (b + 1) * kBlock));
  const levels = [first];
  for (let half = 1; 2 * half <= first.length; half *= 2) {
    const below = levels.at(-1)!;
    const level = new Int32Array(first.length - 2 * half + 1);
    for (let b = 0; b < level.length; ++b) level[b] = longer(slices, below[b]!, below[b + half]!);
    levels.push(level);
  }
  return levels;
}

export const indexSlices = (slices: Slices): SliceIndex => ({
  busyBefore: busySums(slices),
  longest: longestOfBlocks(slices),
});

/** The longest slice of [begin, end), which is not empty; the first of equally long ones. */
export function longestSlice(slices: Slices, index: SliceIndex, begin: number, end: number): number {
  if (end - begin <= 2 * kBlock) return longestIn(slices, begin, end);
  const firstBlock = (begin + kBlock - 1) >> kBlockBits;
  const lastBlock = end >> kBlockBits;
  let best = firstBlock * kBlock > begin ? longestIn(slices, begin, firstBlock * kBlock) : begin;
  if (lastBlock > firstBlock) {
    const level = 31 - Math.clz32(lastBlock - firstBlock);
    const table = index.longest[level]!;
    best = longer(slices, best, table[firstBlock]!);
    best = longer(slices, best, table[lastBlock - (1 << level)]!);
  }
  return lastBlock * kBlock < end ? longer(slices, best, longestIn(slices, lastBlock * kBlock, end)) : best;
}

/** Of ascending values in [begin, end): the first place whose value is >= `least`. */
export function lowerBound(values: Float64Array | Int32Array, begin: number, end: number, least: number): number {
  while (begin < end) {
    const middle = (begin + end) >>> 1;
    if (values[middle]! < least) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

/** As lowerBound, quick where the place is near `begin`. */
export function gallop(values: Float64Array | Int32Array, begin: number, end: number, least: number): number {
  let step = 1;
  let low = begin;
  while (low < end && values[low]! < least) {
    begin = low + 1;
    low += step;
    step *= 2;
  }
  return lowerBound(values, begin, Math.min(low, end), least);
}

/** The first slice of [begin, end) that is not over at `time`; a slice without length counts at its own time. */
export function firstFrom(slices: Slices, begin: number, end: number, time: number): number {
  let i = gallop(slices.end, begin, end, time);
  while (i < end && slices.end[i] === time && slices.start[i]! < time) ++i;
  return i;
}

/** Busy ns in [from, to) of the slices [begin, end), which all reach into it. Merged ones share theirs out evenly. */
export function busyIn(
  slices: Slices,
  index: SliceIndex,
  begin: number,
  end: number,
  from: number,
  to: number,
): number {
  if (begin >= end) return 0;
  const before = from - slices.start[begin]!;
  const after = slices.end[end - 1]! - to;
  let busy = index.busyBefore[end]! - index.busyBefore[begin]!;
  if (before > 0) busy -= before * density(slices, begin);
  if (after > 0) busy -= after * density(slices, end - 1);
  return busy;
}

/** Busy share of a slice's own time. */
export function density(slices: Slices, i: number): number {
  const merged = slices.merged?.get(i);
  const length = slices.end[i]! - slices.start[i]!;
  return merged && length > 0 ? Math.min(1, merged.busy_ns / length) : 1;
}

/** Slices of a row that reach into [from, to): [begin, end). */
export function slicesIn(slices: Slices, row: number, from: number, to: number): [number, number] {
  const rowEnd = slices.rowBegin[row + 1]!;
  const begin = firstFrom(slices, slices.rowBegin[row]!, rowEnd, from);
  return [begin, Math.max(begin, lowerBound(slices.start, begin, rowEnd, to))];
}

/** Adds a row's busy ns to columns of `step` ns from `from` on; at most `step` to each. */
export function addBusy(
  slices: Slices,
  index: SliceIndex,
  row: number,
  from: number,
  step: number,
  columns: Float64Array,
): void {
  const end = slices.rowBegin[row + 1]!;
  let i = firstFrom(slices, slices.rowBegin[row]!, end, from);
  for (let column = 0; i < end;) {
    column = Math.max(column, Math.floor((slices.start[i]! - from) / step));
    if (column >= columns.length) return;
    const [left, right] = [from + column * step, from + (column + 1) * step];
    const after = gallop(slices.start, i, end, right);
    if (after > i) columns[column]! += Math.min(step, Math.max(0, busyIn(slices, index, i, after, left, right)));
    i = Math.max(i, after - 1);
    // The last slice goes on beyond the column, or the next begins after it.
    if (slices.end[i]! <= right) ++i;
    ++column;
  }
}

export function rowOf(slices: Slices, i: number): number {
  let row = 0;
  while (slices.rowBegin[row + 1]! <= i) ++row;
  return row;
}
