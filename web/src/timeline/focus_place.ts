import type { Focus } from '../navigation.ts';
import { firstFrom } from './row_index.ts';
import { tracksOf, type TrackRef } from './layout.ts';
import type { TimelineModel } from './timeline_model.ts';
import type { LoadedSlices } from './track_store.ts';
import { focusView, type Span } from './viewport.ts';

/** The tracks of a place, those first that show its work: streams of a GPU; ranges, then calls, of a thread. */
export function tracksOfPlace(refs: readonly TrackRef[], focus: Focus): TrackRef[] {
  const rank = (ref: TrackRef) => {
    const at = ['gpu', 'range', 'api', 'library'].indexOf(ref.track.kind);
    return at < 0 ? 9 : at;
  };
  return refs
    .filter(({ profile, track }) => profile === focus.profile && track.place === focus.place)
    .sort((a, b) => rank(a) - rank(b));
}

/** The slice of a name that reaches into the span; the same name before one that holds it. -1 for none. */
export function sliceNamed(
  { slices, texts }: LoadedSlices,
  track: TrackRef['track'],
  span: Span,
  what: string,
): number {
  let holding = -1;
  for (let row = 0; row + 1 < slices.rowBegin.length; ++row) {
    const end = slices.rowBegin[row + 1]!;
    for (let i = firstFrom(slices, slices.rowBegin[row]!, end, span.start); i < end; ++i) {
      if (slices.start[i]! > span.end) break;
      const name = texts[track.names[slices.name[i]!]![0]] ?? '';
      if (name === what) return i;
      if (holding < 0 && name.includes(what)) holding = i;
    }
  }
  return holding;
}

/** Goes to a place that another part of the page points to. `wanted` says whether it is still asked for. */
export async function focusPlace(model: TimelineModel, focus: Focus, now: number, wanted: () => boolean) {
  const tracks = tracksOfPlace(model.nodes.flatMap(tracksOf), focus);
  const first = tracks[0];
  const rank = first?.track.rank ?? 0;
  const span = { start: focus.start_ns, end: focus.end_ns };
  const shift = model.lanes.shift(focus.profile, rank);
  model.clear();
  model.mark = { profile: focus.profile, rank, span };
  model.glideTo(focusView({ start: span.start + shift, end: span.end + shift }, model.lanes.bounds), now);
  if (first) model.reveal(first, 0);
  if (focus.what === undefined) return;
  for (const ref of tracks) {
    const names = await namesOf(model, ref);
    if (!names.some((name) => name.includes(focus.what!))) continue;
    const loaded = await model.store.slices(ref);
    if (!wanted()) return;
    const slice = loaded ? sliceNamed(loaded, ref.track, span, focus.what) : -1;
    if (slice < 0) continue;
    model.mark = { profile: focus.profile, rank: ref.track.rank, span };
    model.select({ ...ref, slice }, loaded!);
    model.revealSlice({ ...ref, slice }, loaded!);
    return;
  }
}

async function namesOf(model: TimelineModel, { profile, track }: TrackRef): Promise<string[]> {
  const texts = await model.report.profiles[profile]!.texts();
  return track.names.map(([text]) => texts[text] ?? '');
}
