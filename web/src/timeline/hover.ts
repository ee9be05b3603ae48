import { itemsBetween, trackKey, type Item } from './layout.ts';
import type { SceneMaker } from './scene.ts';
import { sliceAt } from './row_strip.ts';
import { valueAt } from './counter_index.ts';
import type { SliceRef, TimelineModel } from './timeline_model.ts';
import type { LoadedSlices } from './track_store.ts';
import { lengthOf, timeAt } from './viewport.ts';

/** What is under the pointer. */
export type Target =
  | { type: 'slice'; ref: SliceRef; loaded: LoadedSlices }
  | { type: 'counter'; label: string; unit: string; value: number | undefined; time: number }
  | { type: 'group'; key: string }
  | null;

/** A slice that is hard to hit counts within this many pixels. */
const kReach = 2;

export function itemAt(model: TimelineModel, y: number): Item | undefined {
  const at = y + model.scrollTop;
  const [begin, end] = itemsBetween(model.layout, at, at + 1);
  return begin < end ? model.layout.items[begin] : undefined;
}

/** At a place of the tracks, in CSS pixels. */
export function targetAt(model: TimelineModel, scenes: SceneMaker, x: number, y: number): Target {
  const item = itemAt(model, y);
  if (!item) return null;
  if (item.type === 'group') return { type: 'group', key: item.key };
  const ref = { profile: item.profile, track: item.track };
  const loaded = model.store.peek(ref);
  const time = timeAt(model.view, model.width, x) - model.shiftOf(ref);
  if (!loaded) return null;
  if (loaded.kind === 'counter') {
    const value = valueAt(loaded.points, time);
    return { type: 'counter', label: ref.track.label, unit: ref.track.counter?.unit ?? '', value, time };
  }
  const r = Math.floor((y + model.scrollTop - item.y) / item.rowHeight);
  if (r >= item.rows || r + 1 >= loaded.slices.rowBegin.length) return null;
  const reach = (kReach * lengthOf(model.view)) / model.width;
  const slice = sliceAt(scenes.rowOf(ref, loaded, r), time, reach);
  return slice < 0 ? null : { type: 'slice', ref: { ...ref, slice }, loaded };
}

export const sameTarget = (a: Target, b: Target): boolean =>
  a?.type === 'slice' && b?.type === 'slice'
    ? a.ref.slice === b.ref.slice && trackKey(a.ref.profile, a.ref.track) === trackKey(b.ref.profile, b.ref.track)
    : a === b;
