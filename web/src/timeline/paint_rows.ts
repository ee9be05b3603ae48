import type { Slices } from '../data/slices.ts';
import { ColumnMemory } from './column_memory.ts';
import type { Inks } from './inks.ts';
import type { Palette } from './palette.ts';
import { paintStrip, wideSlices, type Row, type StripView } from './row_strip.ts';
import { kFont, type TextFitter } from './text_fitter.ts';
import type { Span } from './viewport.ts';

/** A row of slices, where it stands, and what it is named and coloured with: all that painting it needs. */
export interface PaintedRow {
  row: Row;
  y: number;
  height: number;
  /** The view on the row's own clock. */
  view: Span;
  palette: Palette;
  /** Text of a slice by its index of Track.names. */
  nameOf: (name: number) => string;
  /** No texts: a heading's summary. */
  quiet: boolean;
}

export interface Surface {
  context: CanvasRenderingContext2D;
  /** CSS pixels. */
  width: number;
  height: number;
  /** Device pixels for each. */
  ratio: number;
  inks: Inks;
  texts: TextFitter;
}

const kTextRoom = 3;
/** Narrower ones are told by their lighter colour alone. */
const kHatchWidth = 5;
const kLabelsARow = 4096;
/** Tracks; a screen shows far fewer. */
const kMostRemembered = 200;

interface Label {
  text: string;
  x: number;
  y: number;
  room: number;
}

/** Paints rows of slices; keeps its buffers from frame to frame. */
export class RowsPainter {
  private readonly canvas = document.createElement('canvas');
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private readonly wide = wideSlices(kLabelsARow);
  private memories = new Map<Slices, Map<number, ColumnMemory>>();
  private hatches = new Map<string, CanvasPattern | null>();

  paint(surface: Surface, rows: readonly PaintedRow[]): void {
    if (rows.length === 0 || surface.width < 1) return;
    const labels = new Map<string, Label[]>();
    const hatched: [number, number, number, number][] = [];
    const width = Math.round(surface.width * surface.ratio);
    this.prepare(width, rows.length);
    rows.forEach((painted, i) => this.strip(surface, painted, i, width, labels, hatched));
    this.stretch(surface, rows, width);
    this.hatch(surface, hatched);
    for (const [colour, list] of labels) writeLabels(surface.context, colour, list);
  }

  /** Rows that went out of view are forgotten now and then. */
  private memoryOf({ slices, begin }: Row): ColumnMemory {
    let rows = this.memories.get(slices);
    if (!rows) {
      if (this.memories.size > kMostRemembered) this.memories = new Map();
      this.memories.set(slices, (rows = new Map<number, ColumnMemory>()));
    }
    let memory = rows.get(begin);
    if (!memory) rows.set(begin, (memory = new ColumnMemory()));
    return memory;
  }

  private prepare(width: number, rows: number): void {
    if (!this.image || this.image.width !== width || this.image.height < rows) {
      this.image = new ImageData(width, Math.max(rows, 64));
      this.pixels = new Uint32Array(this.image.data.buffer);
      this.canvas.width = width;
      this.canvas.height = this.image.height;
    }
    this.pixels.fill(0, 0, width * rows);
  }

  private strip(
    { ratio, width: cssWidth, texts, inks }: Surface,
    painted: PaintedRow,
    line: number,
    width: number,
    labels: Map<string, Label[]>,
    hatched: [number, number, number, number][],
  ): void {
    const { row, view, palette } = painted;
    const strip: StripView = {
      start: view.start,
      // Rounded, so that a view that only moved has the very same columns: its length differs in the last digits.
      nsPerPixel: Math.fround((view.end - view.start) / (cssWidth * ratio)),
      width,
      column: Math.max(1, Math.round(ratio)),
    };
    const { wide } = this;
    wide.count = 0;
    const out = this.pixels.subarray(line * width, (line + 1) * width);
    paintStrip(row, strip, palette, inks.groundPixel, out, wide, texts.leastWidth * ratio, this.memoryOf(row));
    for (let k = 0; k < wide.count; ++k) {
      const slice = wide.slice[k]!;
      const x0 = wide.x0[k]! / ratio;
      const x1 = wide.x1[k]! / ratio;
      const merged = row.slices.merged?.has(slice) ?? false;
      if (merged && x1 - x0 >= kHatchWidth) hatched.push([x0, painted.y, x1 - x0 - 1, painted.height]);
      if (painted.quiet) continue;
      const name = row.slices.name[slice]!;
      const room = x1 - x0 - 2 * kTextRoom;
      const text = texts.fit(painted.nameOf(name), room);
      const colour = merged ? inks.text : palette.text[name]!;
      if (text) listOf(labels, colour).push({ text, x: x0 + kTextRoom, y: painted.y + painted.height / 2, room });
    }
  }

  private stretch({ context }: Surface, rows: readonly PaintedRow[], width: number): void {
    this.canvas.getContext('2d')!.putImageData(this.image!, 0, 0, 0, 0, width, rows.length);
    context.imageSmoothingEnabled = false;
    const { a: ratio } = context.getTransform();
    rows.forEach(({ y, height }, i) =>
      context.drawImage(this.canvas, 0, i, width, 1, 0, y, width / ratio, Math.max(1, height - 1)),
    );
  }

  private hatch({ context, inks }: Surface, areas: [number, number, number, number][]): void {
    const pattern = areas.length ? this.hatchOf(context, inks.ground) : null;
    if (!pattern) return;
    context.fillStyle = pattern;
    for (const [x, y, width, height] of areas) context.fillRect(x, y, width, height - 1);
  }

  private hatchOf(context: CanvasRenderingContext2D, ground: string): CanvasPattern | null {
    let pattern = this.hatches.get(ground);
    if (pattern === undefined) this.hatches.set(ground, (pattern = hatchPattern(context, ground)));
    return pattern;
  }
}

function listOf(labels: Map<string, Label[]>, colour: string): Label[] {
  let list = labels.get(colour);
  if (!list) labels.set(colour, (list = []));
  return list;
}

/** Diagonal lines of the ground's colour, 6 pixels apart. */
function hatchPattern(context: CanvasRenderingContext2D, ground: string): CanvasPattern | null {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 6;
  const pen = tile.getContext('2d')!;
  pen.strokeStyle = ground;
  pen.globalAlpha = 0.6;
  pen.lineWidth = 1.5;
  for (const offset of [-6, 0, 6]) {
    pen.moveTo(offset, 6);
    pen.lineTo(offset + 6, 0);
  }
  pen.stroke();
  return context.createPattern(tile, 'repeat');
}

function writeLabels(context: CanvasRenderingContext2D, colour: string, labels: readonly Label[]): void {
  context.fillStyle = colour;
  context.font = kFont;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.direction = 'ltr';
  for (const { text, x, y, room } of labels) context.fillText(text, x, y, room);
}
