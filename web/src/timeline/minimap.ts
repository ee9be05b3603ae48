import { busyShare } from './row_index.ts';
import { tracksOf, type TrackRef } from './layout.ts';
import type { Inks } from './inks.ts';
import type { TimelineModel } from './timeline_model.ts';
import { lengthOf, type Span } from './viewport.ts';

/** The whole run above the axis: how busy the GPUs are, and what part of it is in view. */
export const kMinimapHeight = 30;

interface Band {
  /** GPUs of one rank of one profile, each with its tracks. */
  gpus: TrackRef[][];
}

function bandsOf(model: TimelineModel): Band[] {
  const lanes = new Map<string, Map<string, TrackRef[]>>();
  for (const ref of model.nodes.flatMap(tracksOf)) {
    if (ref.track.kind !== 'gpu') continue;
    const lane = `${ref.profile}/${ref.track.rank}`;
    const gpus = lanes.get(lane) ?? new Map<string, TrackRef[]>();
    lanes.set(lane, gpus.set(ref.track.place, [...(gpus.get(ref.track.place) ?? []), ref]));
  }
  return Array.from(lanes.values(), (gpus) => ({ gpus: [...gpus.values()] }));
}

/** Mean of the GPUs' busy shares in [from, to) of the axis; of a GPU at most 1 whatever its streams overlap. */
function shareOf(model: TimelineModel, band: Band, from: number, to: number): number {
  let sum = 0;
  for (const tracks of band.gpus) {
    let busy = 0;
    for (const ref of tracks) {
      const loaded = model.store.peek(ref);
      if (loaded?.kind !== 'slices') continue;
      const shift = model.shiftOf(ref);
      for (let row = 0; row + 1 < loaded.slices.rowBegin.length; ++row)
        busy += busyShare(loaded.slices, loaded.index, row, from - shift, to - shift);
    }
    sum += Math.min(1, busy);
  }
  return sum / band.gpus.length;
}

/** Paints the strip; what does not change while the view moves is kept as a picture. */
export class Minimap {
  private readonly bands: Band[];
  private readonly picture = document.createElement('canvas');
  private painted = '';

  constructor(private readonly model: TimelineModel) {
    this.bands = bandsOf(model);
  }

  /** Of the axis: the minimap's whole width. */
  get span(): Span {
    return this.model.lanes.bounds;
  }

  paint(context: CanvasRenderingContext2D, width: number, ratio: number, inks: Inks, colour: string): void {
    this.refresh(width, ratio, inks, colour);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.picture, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const { view } = this.model;
    const at = (time: number) => ((time - this.span.start) / lengthOf(this.span)) * width;
    const x0 = Math.max(0, Math.min(width - 3, at(view.start)));
    const x1 = Math.min(width, Math.max(x0 + 3, at(view.end)));
    context.fillStyle = inks.ground;
    context.globalAlpha = 0.65;
    context.fillRect(0, 0, x0, kMinimapHeight);
    context.fillRect(x1, 0, width - x1, kMinimapHeight);
    context.globalAlpha = 1;
    context.strokeStyle = inks.accent;
    context.lineWidth = 1;
    context.strokeRect(Math.round(x0) + 0.5, 0.5, Math.max(2, Math.round(x1 - x0) - 1), kMinimapHeight - 1);
  }

  private refresh(width: number, ratio: number, inks: Inks, colour: string): void {
    const { store, lanes } = this.model;
    const tracks = this.bands.flatMap(({ gpus }) => gpus.flat());
    const ready = tracks.filter((ref) => store.get(ref) !== null).length;
    const state = [width, ratio, inks.ground, colour, ready, lanes.bounds.start, lanes.bounds.end].join();
    if (state === this.painted) return;
    this.painted = state;
    this.picture.width = Math.round(width * ratio);
    this.picture.height = Math.round(kMinimapHeight * ratio);
    const pen = this.picture.getContext('2d')!;
    pen.fillStyle = inks.panel;
    pen.scale(ratio, ratio);
    pen.fillRect(0, 0, width, kMinimapHeight);
    pen.fillStyle = colour;
    this.bands.forEach((band, i) => this.paintBand(pen, band, i, width));
  }

  private paintBand(pen: CanvasRenderingContext2D, band: Band, i: number, width: number): void {
    const tall = (kMinimapHeight - 2) / this.bands.length;
    const bottom = 1 + (i + 1) * tall;
    const step = lengthOf(this.span) / width;
    for (let x = 0; x < width; ++x) {
      const from = this.span.start + x * step;
      const height = shareOf(this.model, band, from, from + step) * Math.max(1, tall - 1);
      if (height > 0) pen.fillRect(x, bottom - Math.max(0.5, height), 1, Math.max(0.5, height));
    }
  }
}
