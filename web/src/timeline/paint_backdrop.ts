import type { Surface } from './paint_rows.ts';
import type { Scene } from './scene.ts';
import type { Span } from './viewport.ts';
import { lengthOf, xOf } from './viewport.ts';

/** Ground, headings' lines, and placeholders of what is not decoded yet. */
export function paintBackdrop(surface: Surface, scene: Scene, scrollTop: number): void {
  const { context, width, height, inks } = surface;
  context.fillStyle = inks.ground;
  context.fillRect(0, 0, width, height);
  for (const item of scene.items) {
    const y = item.y - scrollTop;
    if (item.type === 'group') {
      context.fillStyle = inks.panel;
      context.fillRect(0, y, width, item.height - 1);
    }
    context.fillStyle = inks.line;
    context.globalAlpha = 0.6;
    context.fillRect(0, y + item.height - 1, width, 1);
    context.globalAlpha = 1;
  }
}

export function paintPlaceholders(surface: Surface, scene: Scene): void {
  const { context, width, inks } = surface;
  context.globalAlpha = 0.35;
  context.fillStyle = inks.line;
  for (const { y, height } of scene.waiting) context.fillRect(0, y + 2, width, Math.max(2, height - 3));
  context.globalAlpha = 1;
  context.fillStyle = inks.muted;
  context.textBaseline = 'top';
  for (const { y, says } of scene.broken) context.fillText(`cannot be read: ${says}`, 6, y + 3);
}

/** Ticks of the axis go on as faint lines over the tracks. */
export function paintGrid(surface: Surface, view: Span, times: readonly number[]): void {
  const { context, width, height, inks } = surface;
  context.fillStyle = inks.line;
  context.globalAlpha = 0.5;
  for (const time of times) context.fillRect(Math.round(xOf(view, width, time)), 0, 1, height);
  context.globalAlpha = 1;
}

/** Lines nearer than this to one another are left out, and faint until they have room. CSS pixels. */
const kLeastApart = 8;
const kRoomy = 60;

/** The beginnings of steps. */
export function paintSteps(surface: Surface, view: Span, starts: readonly number[], top: number, bottom: number): void {
  const { context, width, inks } = surface;
  const times = visibleTimes(starts, view);
  const apart = width / Math.max(1, times.length);
  context.fillStyle = inks.text;
  context.globalAlpha = 0.1 + 0.25 * Math.min(1, apart / kRoomy);
  let last = -Infinity;
  for (const start of times) {
    const x = Math.round(xOf(view, width, start));
    if (x - last < kLeastApart) continue;
    context.fillRect(x, top, 1, bottom - top);
    last = x;
  }
  context.globalAlpha = 1;
}

/** Ascending times that are in view. */
function visibleTimes(times: readonly number[], view: Span): readonly number[] {
  let begin = 0;
  let end = times.length;
  while (begin < end) {
    const middle = (begin + end) >>> 1;
    if (times[middle]! < view.start) begin = middle + 1;
    else end = middle;
  }
  while (end < times.length && times[end]! <= view.end) ++end;
  // More than there are pixels: some of them say as much.
  const stride = Math.max(1, Math.floor((end - begin) / 4000));
  return stride === 1 ? times.slice(begin, end) : times.slice(begin, end).filter((_, i) => i % stride === 0);
}

/** A translucent band with edges over a span. */
export function paintBand(
  surface: Surface,
  view: Span,
  span: Span,
  colour: string,
  top: number,
  bottom: number,
  share = 0.14,
): void {
  const { context, width } = surface;
  const x0 = Math.max(-2, Math.round(xOf(view, width, span.start)));
  const x1 = Math.min(width + 2, Math.max(x0 + 1, Math.round(xOf(view, width, span.end))));
  if (x1 < 0 || x0 > width || lengthOf(view) <= 0) return;
  context.fillStyle = colour;
  context.globalAlpha = share;
  context.fillRect(x0, top, x1 - x0, bottom - top);
  context.globalAlpha = Math.min(0.8, 4 * share);
  context.fillRect(x0, top, 1, bottom - top);
  context.fillRect(x1 - 1, top, 1, bottom - top);
  context.globalAlpha = 1;
}
