import { addBusy } from './row_index.ts';
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
    const tracks = gpus.get(ref.track.place);
    if (tracks) tracks.push(ref);
    else gpus.set(ref.track.place, [ref]);
    lanes.set(lane, gpus);
  }
  return Array.from(lanes.values(), (gpus) => ({ gpus: [...gpus.values()] }));
}

/** Busy time of GPUs in each column of the strip; tracks are added as they are decoded. */
class BusyColumns {
  private readonly ofGpu = new Map<TrackRef[], Float64Array>();
  private readonly added = new Set<TrackRef>();

  constructor(
    readonly step: number,
    private readonly from: number,
    private readonly columns: number,
  ) {}

  /** Whether there was anything new. */
  add(model: TimelineModel, gpus: readonly TrackRef[][]): boolean {
    const before = this.added.size;
    for (const gpu of gpus) for (const ref of gpu) if (!this.added.has(ref)) this.addTrack(model, gpu, ref);
    return this.added.size > before;
  }

  private addTrack(model: TimelineModel, gpu: TrackRef[], ref: TrackRef): void {
    const state = model.store.get(ref);
    if (state === null) return;
    this.added.add(ref);
    if (state instanceof Error || state.kind !== 'slices') return;
    const columns = this.ofGpu.get(gpu) ?? new Float64Array(this.columns);
    this.ofGpu.set(gpu, columns);
    const { slices, index } = state;
    const from = this.from - model.shiftOf(ref);
    for (let row = 0; row + 1 < slices.rowBegin.length; ++row) addBusy(slices, index, row, from, this.step, columns);
  }

  /** Mean of the GPUs' busy shares; of a GPU at most 1 whatever its streams overlap. */
  shareOf(gpus: readonly TrackRef[][], column: number): number {
    let sum = 0;
    for (const gpu of gpus) sum += Math.min(1, (this.ofGpu.get(gpu)?.[column] ?? 0) / this.step);
    return sum / gpus.length;
  }
}

/** Paints the strip; what does not change while the view moves is kept as a picture. */
export class Minimap {
  private readonly bands: Band[];
  private readonly picture = document.createElement('canvas');
  private painted = '';
  private stretch = '';
  private busy = new BusyColumns(1, 0, 0);

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
    const { start, end } = this.span;
    const stretch = JSON.stringify([width, start, end, this.model.alignment]);
    if (stretch !== this.stretch) {
      this.stretch = stretch;
      this.busy = new BusyColumns(lengthOf(this.span) / width, start, Math.ceil(width));
    }
    let fresh = false;
    for (const { gpus } of this.bands) fresh = this.busy.add(this.model, gpus) || fresh;
    const state = [stretch, ratio, inks.ground, colour].join();
    if (!fresh && state === this.painted) return;
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
    for (let x = 0; x < width; ++x) {
      const height = this.busy.shareOf(band.gpus, x) * Math.max(1, tall - 1);
      if (height > 0) pen.fillRect(x, bottom - Math.max(0.5, height), 1, Math.max(0.5, height));
    }
  }
}
