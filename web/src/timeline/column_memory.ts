import type { Palette, Pixel } from './palette.ts';

/**
 * What the dense columns of one row looked like. Columns stand at whole multiples of their length in time, so that they
 * are the same wherever the view begins: while it moves, only those that come into it are worked out. Pure.
 */
export class ColumnMemory {
  private readonly column = new Float64Array(kColumns).fill(NaN);
  private readonly first = new Int32Array(kColumns);
  private readonly last = new Int32Array(kColumns);
  private readonly colour = new Uint32Array(kColumns);
  private step = 0;
  private palette: Palette | null = null;
  private hits: Int32Array | null = null;
  private ground: Pixel = 0;

  /** Forgets all if columns are another length now, or in other colours. */
  begin(step: number, palette: Palette, hits: Int32Array | null, ground: Pixel): void {
    const same = step === this.step && palette === this.palette && hits === this.hits && ground === this.ground;
    if (!same) this.column.fill(NaN);
    this.step = step;
    this.palette = palette;
    this.hits = hits;
    this.ground = ground;
  }

  /** Where a column that begins with slice `first` is kept; -1 where it is not. */
  find(column: number, first: number): number {
    const slot = slotOf(column);
    return this.column[slot] === column && this.first[slot] === first ? slot : -1;
  }

  put(column: number, first: number, last: number, colour: Pixel): void {
    const slot = slotOf(column);
    this.column[slot] = column;
    this.first[slot] = first;
    this.last[slot] = last;
    this.colour[slot] = colour;
  }

  lastOf(slot: number): number {
    return this.last[slot]!;
  }

  colourOf(slot: number): Pixel {
    return this.colour[slot]!;
  }
}

/** More than any screen is wide. */
const kColumns = 8192;

const slotOf = (column: number): number => ((column % kColumns) + kColumns) % kColumns;
