import { colourOf, currentScheme, type Scheme } from '../theme/colours.ts';
import { ticks, type Tick } from './axis.ts';
import { inksOf, type Inks } from './inks.ts';
import { Minimap, kMinimapHeight } from './minimap.ts';
import { paintBackdrop, paintBand, paintGrid, paintPlaceholders, paintSteps } from './paint_backdrop.ts';
import { spanOfNote } from './notes.ts';
import { paintCounter } from './paint_counter.ts';
import { boxOf, paintArrow, paintFrame, paintNotes, paintSelections } from './paint_overlay.ts';
import { RowsPainter, type Surface } from './paint_rows.ts';
import { SceneMaker, type Scene } from './scene.ts';
import { kFont, TextFitter } from './text_fitter.ts';
import type { SliceRef, TimelineModel } from './timeline_model.ts';
import type { TimelineSearch } from './timeline_search.ts';
import { xOf, type Span } from './viewport.ts';

export const kAxisHeight = 24;
const kFlagWidth = 16;

export interface Canvases {
  host: HTMLElement;
  probe: HTMLElement;
  tracks: HTMLCanvasElement;
  axis: HTMLCanvasElement;
  minimap: HTMLCanvasElement;
}

function fit(canvas: HTMLCanvasElement, width: number, height: number, ratio: number): CanvasRenderingContext2D {
  const context = canvas.getContext('2d', { alpha: false })!;
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.direction = 'ltr';
  context.textAlign = 'left';
  return context;
}

/** Paints the canvases of a timeline, all in one go. */
export class Stage {
  readonly scenes: SceneMaker;
  private readonly rows = new RowsPainter();
  private readonly texts = new TextFitter();
  readonly minimap: Minimap;
  private inks: Inks;
  private scheme: Scheme;
  /** From a launching call to its work, where both are known. */
  arrows: { from: SliceRef; to: SliceRef }[] = [];
  /** A span that is being dragged on the axis. */
  draggedAxis: Span | null = null;

  constructor(
    private readonly model: TimelineModel,
    search: TimelineSearch,
    private readonly canvases: Canvases,
  ) {
    this.scenes = new SceneMaker(model, search);
    this.minimap = new Minimap(model);
    this.scheme = currentScheme();
    this.inks = inksOf(canvases.probe);
    this.texts.measureWith(canvases.tracks.getContext('2d', { alpha: false })!);
  }

  recolour(): void {
    this.scheme = currentScheme();
    this.inks = inksOf(this.canvases.probe);
    this.scenes.forget();
  }

  paint(): void {
    const { model, canvases } = this;
    const ratio = window.devicePixelRatio || 1;
    const { width, height } = model;
    if (width < 1 || height < 1) return;
    const marks = ticks(model.view, width);
    const scene = this.scenes.make(this.inks, this.scheme);
    const surface = this.surface(canvases.tracks, width, height, ratio);
    this.paintTracks(surface, scene, marks);
    this.paintAxis(this.surface(canvases.axis, width, kAxisHeight, ratio), marks);
    const minimap = fit(canvases.minimap, width, kMinimapHeight, ratio);
    this.minimap.paint(minimap, width, ratio, this.inks, colourOf('kernel', '', this.scheme));
    this.tell(scene);
  }

  private surface(canvas: HTMLCanvasElement, width: number, height: number, ratio: number): Surface {
    return { context: fit(canvas, width, height, ratio), width, height, ratio, inks: this.inks, texts: this.texts };
  }

  private paintTracks(surface: Surface, scene: Scene, marks: readonly Tick[]): void {
    const { model, inks } = this;
    paintBackdrop(surface, scene, model.scrollTop);
    paintGrid(
      surface,
      model.view,
      marks.map(({ time }) => time),
    );
    paintPlaceholders(surface, scene);
    this.rows.paint(surface, scene.rows);
    const colour = colourOf('call', '', this.scheme);
    for (const counter of scene.counters) paintCounter(surface, counter, model.view, colour);
    this.paintSteps(surface);
    this.paintDetailed(surface);
    paintSelections(surface, model);
    paintNotes(surface, model);
    for (const { from, to } of this.arrows) this.paintLaunch(surface, from, to);
    const hovered = model.hover && boxOf(model, model.hover);
    if (hovered) paintFrame(surface, hovered, inks.text, false);
    const selected = model.selected && boxOf(model, model.selected);
    if (selected) paintFrame(surface, selected, inks.text, true);
  }

  private paintLaunch(surface: Surface, from: SliceRef, to: SliceRef): void {
    const [a, b] = [boxOf(this.model, from), boxOf(this.model, to)];
    if (a && b) paintArrow(surface, a, b, this.inks.text);
  }

  /** Each rank's steps over its own tracks. */
  private paintSteps(surface: Surface): void {
    const { model } = this;
    if (!model.stepLines) return;
    for (const { from, to, profile, rank } of laneStretches(model)) {
      const steps = model.documents[profile]!.steps?.ranks.find((ranks) => ranks.rank === rank);
      if (!steps) continue;
      const shift = model.lanes.shift(profile, rank);
      const view = { start: model.view.start - shift, end: model.view.end - shift };
      paintSteps(surface, view, steps.start_ns, from - model.scrollTop, to - model.scrollTop);
    }
  }

  private paintDetailed(surface: Surface): void {
    const { model } = this;
    for (const { from, to, profile, rank } of laneStretches(model)) {
      const shift = model.lanes.shift(profile, rank);
      const view = { start: model.view.start - shift, end: model.view.end - shift };
      const { detailed, tiles } = model.documents[profile]!.timeline;
      if (!tiles) continue;
      for (const [start, end] of detailed)
        if (end > view.start && start < view.end)
          paintBand(
            surface,
            view,
            { start, end },
            this.inks.accent,
            from - model.scrollTop,
            to - model.scrollTop,
            0.04,
          );
    }
  }

  private paintAxis(surface: Surface, marks: readonly Tick[]): void {
    const { context, width, height, inks } = surface;
    context.fillStyle = inks.panel;
    context.fillRect(0, 0, width, height);
    context.fillStyle = inks.line;
    context.fillRect(0, height - 1, width, 1);
    context.font = kFont;
    context.textBaseline = 'middle';
    for (const { time, text } of marks) {
      const x = Math.round(xOf(this.model.view, width, time));
      context.fillStyle = inks.muted;
      context.fillRect(x, height - 8, 1, 7);
      context.fillStyle = inks.text;
      // Half a number would be another number.
      if (x + 4 + context.measureText(text).width <= width) context.fillText(text, x + 4, height / 2);
    }
    this.paintNoteFlags(surface);
    if (this.draggedAxis) paintBand(surface, this.model.view, this.draggedAxis, inks.accent, 0, height, 0.25);
  }

  /** Notes by their number in the list. */
  private paintNoteFlags({ context, width, height, inks }: Surface): void {
    const { model } = this;
    model.notes.forEach((note, i) => {
      const { start } = spanOfNote(note, model.lanes.shift(note.profile, note.rank));
      const x = Math.round(xOf(model.view, width, start));
      if (x < -kFlagWidth || x > width) return;
      context.fillStyle = inks.accent;
      context.fillRect(x, 0, kFlagWidth, 12);
      context.fillRect(x, 0, 1, height);
      context.fillStyle = inks.ground;
      context.fillText(String(i + 1), x + 4, 7, kFlagWidth - 5);
    });
  }

  /** What tests and other parts of the page can read. */
  private tell(scene: Scene): void {
    const { dataset } = this.canvases.host;
    const { view } = this.model;
    dataset['visibleStart'] = String(Math.round(view.start));
    dataset['visibleEnd'] = String(Math.round(view.end));
    dataset['ready'] = String(scene.waiting.length === 0);
    dataset['notes'] = String(this.model.notes.length);
    dataset['selected'] = this.model.selectedName;
  }
}

/** Where the tracks of each rank of each profile stand: from one y to another. */
function laneStretches(model: TimelineModel): { from: number; to: number; profile: number; rank: number }[] {
  const stretches: { from: number; to: number; profile: number; rank: number }[] = [];
  for (const item of model.layout.items) {
    const first = item.type === 'track' ? item : item.tracks[0];
    if (!first) continue;
    const last = stretches.at(-1);
    const end = item.y + item.height;
    if (last && last.profile === first.profile && last.rank === first.track.rank) last.to = end;
    else stretches.push({ from: item.y, to: end, profile: first.profile, rank: first.track.rank });
  }
  return stretches;
}
