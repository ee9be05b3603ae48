import type { Slices } from '../data/slices.ts';
import { tracksOf, type TrackRef } from './layout.ts';
import type { SliceRef, TimelineModel } from './timeline_model.ts';

/** The call that launched a slice of a GPU, on the same profile; null where it is not known. */
export function launchingCall(model: TimelineModel, ref: SliceRef, slices: Slices): SliceRef | null {
  const { launch } = slices;
  const id = launch ? launch.track[ref.slice]! : -1;
  const track = id < 0 ? undefined : trackOf(model, ref.profile, id);
  return track ? { profile: ref.profile, track, slice: launch!.index[ref.slice]! } : null;
}

const trackOf = (model: TimelineModel, profile: number, id: number) =>
  model.documents[profile]!.timeline.tracks.find((track) => track.id === id);

/** Indexes of what one call launched in one track. A pass over the columns is quick enough for a click. */
export function launchedBy(slices: Slices, callTrack: number, call: number): number[] {
  const { launch } = slices;
  const found: number[] = [];
  if (!launch) return found;
  for (let i = launch.index.indexOf(call); i >= 0; i = launch.index.indexOf(call, i + 1))
    if (launch.track[i] === callTrack) found.push(i);
  return found;
}

/** All GPU work of a call; decodes the tracks of the GPUs of its profile. */
export async function launchedWork(model: TimelineModel, call: SliceRef): Promise<SliceRef[]> {
  const refs: TrackRef[] = model.nodes.flatMap(tracksOf);
  const found: SliceRef[] = [];
  for (const ref of refs) {
    if (ref.profile !== call.profile || ref.track.kind !== 'gpu') continue;
    if (!ref.track.data.columns.some(({ name }) => name === 'launch')) continue;
    const loaded = await model.store.slices(ref);
    const slices = loaded ? launchedBy(loaded.slices, call.track.id, call.slice) : [];
    found.push(...slices.map((slice) => ({ ...ref, slice })));
  }
  return found;
}
