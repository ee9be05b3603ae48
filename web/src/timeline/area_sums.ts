import type { Report } from '../data/report.ts';
import { Breaths } from './breaths.ts';
import type { Lanes } from './lanes.ts';
import type { TrackRef } from './layout.ts';
import {
  addSlices,
  addTiles,
  counterIn,
  Sums,
  tileSpan,
  unionBusy,
  type CounterSum,
  type Section,
} from './selection_sums.ts';
import type { Slices } from '../data/slices.ts';
import type { Area } from './timeline_model.ts';
import type { TrackStore } from './track_store.ts';
import type { Span } from './viewport.ts';

export interface GpuBusy {
  profile: number;
  place: string;
  rank: number;
  busy_ns: number;
  idle_ns: number;
}

export interface CounterRow extends CounterSum {
  profile: number;
  label: string;
  place: string;
  unit: string;
}

/** What a selected area holds. */
export interface AreaSums {
  /** On the axis; wider than what was drawn where there are tiles. */
  span: Span;
  tile_ns: number | null;
  sections: Section[];
  gpus: GpuBusy[];
  /** Some of the GPUs' slices were merged: their union is near the truth, not exact. */
  approximate: boolean;
  counters: CounterRow[];
}

/** The area's span, on whole tiles of the first profile in it that has tiles. */
export function snapped(report: Report, lanes: Lanes, area: Area): { span: Span; tile_ns: number | null } {
  for (const { profile, track } of area.tracks) {
    const { tiles } = report.profiles[profile]!.document.timeline;
    if (!tiles) continue;
    const shift = lanes.shift(profile, track.rank);
    const span = tileSpan({ start: area.span.start - shift, end: area.span.end - shift }, tiles.tile_ns);
    return { span: { start: span.start + shift, end: span.end + shift }, tile_ns: tiles.tile_ns };
  }
  return { span: area.span, tile_ns: null };
}

const shifted = (span: Span, by: number): Span => ({ start: span.start + by, end: span.end + by });

/** The part of a span in which there was a run: a shorter one beside it is not idle afterwards. */
function withinRun(span: Span, span_ns: number): Span {
  const start = Math.min(Math.max(0, span.start), span_ns);
  return { start, end: Math.max(start, Math.min(span.end, span_ns)) };
}

/** Adds up an area; decodes what it needs. `wanted` says whether somebody still waits for it. */
export async function sumArea(
  report: Report,
  store: TrackStore,
  lanes: Lanes,
  area: Area,
  wanted: () => boolean,
): Promise<AreaSums | null> {
  const { span, tile_ns } = snapped(report, lanes, area);
  const sums = new Sums();
  const gpus = new Map<string, { ref: TrackRef; slices: Slices[]; span: Span }>();
  const counters: CounterRow[] = [];
  const breaths = new Breaths();
  for (const ref of area.tracks) {
    await breaths.take();
    const profile = report.profiles[ref.profile]!;
    const own = shifted(span, -lanes.shift(ref.profile, ref.track.rank));
    const loaded = await store.load(ref);
    const [texts, tiles] = [await profile.texts(), await profile.tiles()];
    if (!wanted()) return null;
    if (loaded instanceof Error) continue;
    if (loaded.kind === 'counter') {
      const sum = counterIn(loaded.points, own, profile.document.span_ns);
      const { label, place, counter } = ref.track;
      if (sum) counters.push({ ...sum, profile: ref.profile, label, place, unit: counter?.unit ?? '' });
      continue;
    }
    const track = { profile: ref.profile, kind: ref.track.kind, names: ref.track.names, texts };
    const whole = tiles && tileSpan(own, tiles.tile_ns);
    if (!tiles || !addTiles(sums, track, ref.track.id, tiles, whole!)) addSlices(sums, track, loaded.slices, own);
    if (ref.track.kind === 'gpu') gpuOf(gpus, ref, withinRun(own, profile.document.span_ns)).slices.push(loaded.slices);
  }
  const busy = await busyOfGpus(gpus, breaths);
  return { span, tile_ns, sections: sums.done(), ...busy, counters };
}

function gpuOf(gpus: Map<string, { ref: TrackRef; slices: Slices[]; span: Span }>, ref: TrackRef, span: Span) {
  const key = `${ref.profile}/${ref.track.rank}/${ref.track.place}`;
  let gpu = gpus.get(key);
  if (!gpu) gpus.set(key, (gpu = { ref, slices: [], span }));
  return gpu;
}

async function busyOfGpus(gpus: Map<string, { ref: TrackRef; slices: Slices[]; span: Span }>, breaths: Breaths) {
  const all = [...gpus.values()];
  const busy: GpuBusy[] = [];
  for (const { ref, slices, span } of all) {
    await breaths.take();
    const busy_ns = unionBusy(slices, span);
    const idle_ns = Math.max(0, span.end - span.start - busy_ns);
    busy.push({ profile: ref.profile, place: ref.track.place, rank: ref.track.rank, busy_ns, idle_ns });
  }
  return { gpus: busy, approximate: all.some(({ slices }) => slices.some(({ merged }) => merged !== null)) };
}
