import { spanOfNote } from './notes.ts';
import { trackKey } from './layout.ts';
import { paintBand } from './paint_backdrop.ts';
import type { Surface } from './paint_rows.ts';
import { rowOf } from './row_index.ts';
import type { Area, SliceRef, TimelineModel } from './timeline_model.ts';
import { xOf } from './viewport.ts';

export interface Box {
  x0: number;
  x1: number;
  y: number;
  height: number;
}

/** Where a slice is painted; null where its track is not shown. */
export function boxOf(model: TimelineModel, ref: SliceRef): Box | null {
  const loaded = model.store.peek(ref);
  const item = model.itemOf(ref);
  if (!item || loaded?.kind !== 'slices') return null;
  const row = rowOf(loaded.slices, ref.slice);
  if (row >= item.rows) return null;
  const { start, end } = model.spanOf(ref, loaded);
  const x0 = xOf(model.view, model.width, start);
  const x1 = Math.max(x0 + 1, xOf(model.view, model.width, end));
  return { x0, x1, y: item.y + row * item.rowHeight - model.scrollTop, height: item.rowHeight - 1 };
}

/** A frame round a slice, cut off well outside the screen. */
export function paintFrame({ context, width }: Surface, box: Box, colour: string, strong: boolean): void {
  const x0 = Math.max(-10, Math.floor(box.x0));
  const x1 = Math.min(width + 10, Math.max(x0 + 3, Math.ceil(box.x1)));
  if (x1 < 0 || x0 > width) return;
  context.strokeStyle = colour;
  context.lineWidth = strong ? 2 : 1;
  const inset = strong ? 0 : 0.5;
  context.strokeRect(x0 + inset, box.y + inset, x1 - x0 - 2 * inset, box.height - 2 * inset);
}

/** From the launching call to what it launched: from edge to edge, so that their names can be read. */
export function paintArrow({ context, width }: Surface, from: Box, to: Box, colour: string): void {
  const clip = (x: number) => Math.min(width + 2000, Math.max(-2000, x));
  const [x0, x1] = [clip(from.x0), clip(to.x0)];
  const down = to.y > from.y;
  const y0 = down ? from.y + from.height : from.y;
  const y1 = down ? to.y : to.y + to.height;
  const bend = (y1 - y0) / 2;
  const head = down ? -6 : 6;
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1 + head);
  context.stroke();
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - 4, y1 + head);
  context.lineTo(x1 + 4, y1 + head);
  context.fill();
}

/** The focused span, and the selected one over its tracks. */
export function paintSelections(surface: Surface, model: TimelineModel): void {
  const { mark, area, view, scrollTop } = model;
  const { accent } = surface.inks;
  if (mark) {
    const shift = model.lanes.shift(mark.profile, mark.rank);
    const span = { start: mark.span.start + shift, end: mark.span.end + shift };
    paintBand(surface, view, span, accent, 0, surface.height);
  }
  if (!area) return;
  const [top, bottom] = stretchOf(model, area);
  paintBand(surface, view, area.span, accent, top - scrollTop, bottom - scrollTop, 0.2);
}

/** Notes over all tracks; a moment is a line. */
export function paintNotes(surface: Surface, model: TimelineModel): void {
  for (const note of model.notes) {
    const span = spanOfNote(note, model.lanes.shift(note.profile, note.rank));
    paintBand(surface, model.view, span, surface.inks.accent, 0, surface.height, 0.1);
  }
}

/** From the first to the last of an area's tracks, in y of the layout. */
function stretchOf(model: TimelineModel, area: Area): [number, number] {
  const keys = new Set(area.tracks.map(({ profile, track }) => trackKey(profile, track)));
  const inside = model.layout.items.filter((item) =>
    item.type === 'track'
      ? keys.has(item.key)
      : !item.open && item.tracks.some(({ profile, track }) => keys.has(trackKey(profile, track))),
  );
  const last = inside.at(-1);
  return last ? [inside[0]!.y, last.y + last.height] : [0, 0];
}
