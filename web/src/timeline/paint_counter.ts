import { counterColumns } from './counter_index.ts';
import type { Surface } from './paint_rows.ts';
import type { PaintedCounter } from './scene.ts';
import { kFont } from './text_fitter.ts';
import { lengthOf, type Span } from './viewport.ts';
import { quantityText } from './quantity_text.ts';

/** A counter as an area: its highest value of each pixel, darker up to the lowest. */
export function paintCounter(surface: Surface, counter: PaintedCounter, view: Span, colour: string): void {
  const { context, width } = surface;
  const columns = Math.ceil(width);
  const low = new Float64Array(columns);
  const high = new Float64Array(columns);
  counterColumns(counter.index, view.start - counter.shift, lengthOf(view) / width, low, high);
  context.fillStyle = colour;
  context.globalAlpha = 0.4;
  fillColumns(context, counter, high);
  context.globalAlpha = 0.75;
  fillColumns(context, counter, low);
  context.globalAlpha = 1;
  context.fillStyle = surface.inks.muted;
  context.font = kFont;
  context.textBaseline = 'top';
  context.fillText(quantityText(counter.maximum, counter.unit), 3, counter.y + 1);
}

/** Neighbours of the same height are one rectangle. */
function fillColumns(context: CanvasRenderingContext2D, counter: PaintedCounter, values: Float64Array): void {
  const { y, height, minimum, maximum } = counter;
  const room = height - 6;
  const range = maximum > minimum ? maximum - minimum : 1;
  const tall = (value: number) => (Number.isNaN(value) ? 0 : Math.round(((value - minimum) / range) * room));
  let begin = 0;
  for (let x = 1; x <= values.length; ++x) {
    if (x < values.length && tall(values[x]!) === tall(values[begin]!)) continue;
    const size = tall(values[begin]!);
    if (size > 0) context.fillRect(begin, y + 3 + room - size, x - begin, size);
    begin = x;
  }
}
