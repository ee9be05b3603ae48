import { withHidden, withMove, withPin } from './arrangement.ts';
import { launchedWork, launchingCall } from './launches.ts';
import { trackKey, tracksOf, type TrackItem } from './layout.ts';
import { lowerBound, rowOf } from './row_index.ts';
import type { LoadedSlices } from './track_store.ts';
import { kHeld, type Command } from './keyboard.ts';
import { snapped } from './area_sums.ts';
import { neighbour } from './search.ts';
import type { TimelineModel } from './timeline_model.ts';
import { focusView } from './viewport.ts';

const kPanShare = 0.12;
const kZoomFactor = 1.5;
const kScroll = 60;

/** Does what a key means for view and selection; false where it is no matter of these. */
export function obey(model: TimelineModel, command: Command, now: number): boolean {
  switch (command) {
    case 'zoom-in':
    case 'zoom-out':
      model.glideZoom(command === 'zoom-in' ? 1 / kZoomFactor : kZoomFactor, now);
      return true;
    case 'pan-left':
    case 'pan-right':
      model.glidePan(command === 'pan-left' ? -kPanShare : kPanShare, now);
      return true;
    case 'scroll-up':
    case 'scroll-down':
      model.scrollTo(model.scrollTop + (command === 'scroll-up' ? -kScroll : kScroll));
      return true;
    case 'page-up':
    case 'page-down':
      model.scrollTo(model.scrollTop + 0.9 * (command === 'page-up' ? -model.height : model.height));
      return true;
    case 'show-all':
      model.showAll(now);
      return true;
    case 'focus-selection':
      focusSelection(model, now);
      return true;
    case 'clear':
      model.clear();
      return true;
    case 'select-all':
      selectAll(model);
      return true;
    case 'pin-row':
    case 'hide-row':
    case 'move-row-up':
    case 'move-row-down':
      arrangeSelected(model, command);
      return true;
    default:
      return moveSelection(model, command, now);
  }
}

export function focusSelection(model: TimelineModel, now: number): void {
  const { selected, area, mark, lanes } = model;
  const loaded = selected && model.store.peek(selected);
  const marked = mark && lanes.shift(mark.profile, mark.rank);
  if (selected && loaded?.kind === 'slices')
    model.glideTo(focusView(model.spanOf(selected, loaded), lanes.bounds), now);
  else if (area) model.glideTo(area.span, now);
  else if (mark && marked !== null)
    model.glideTo(focusView({ start: mark.span.start + marked, end: mark.span.end + marked }, lanes.bounds), now);
}

/** The row of the selection. */
function arrangeSelected(model: TimelineModel, command: Command): void {
  const { nodes, arrangement } = model;
  const key = model.selected && trackKey(model.selected.profile, model.selected.track);
  if (key === null) return;
  if (command === 'pin-row') model.arrange(withPin(arrangement, key));
  else if (command === 'hide-row') model.arrange(withHidden(arrangement, key));
  else model.arrange(withMove(nodes, arrangement, key, command === 'move-row-up' ? -1 : 1));
}

function selectAll(model: TimelineModel): void {
  const { start, end } = model.lanes.bounds;
  // What begins in the run's last moment is in it too.
  const area = { span: { start, end: end + 1 }, tracks: model.shown.flatMap(tracksOf) };
  model.selectArea({ ...area, span: snapped(model.report, model.lanes, area).span });
}

function moveSelection(model: TimelineModel, command: Command, now: number): boolean {
  const forward = command === 'next-slice' || command === 'next-same';
  const same = command === 'next-same' || command === 'previous-same';
  if (command === 'row-below' || command === 'row-above') goToRow(model, command === 'row-below', now);
  else if (command === 'step-into') void followLaunch(model, now);
  else if (forward || same || command === 'previous-slice') goToNeighbour(model, forward, same, now);
  else return false;
  return true;
}

function goToNeighbour(model: TimelineModel, forward: boolean, same: boolean, now: number): void {
  const { selected } = model;
  const loaded = selected && model.store.peek(selected);
  if (!selected || loaded?.kind !== 'slices') return selectFirst(model);
  const slice = neighbour(loaded.slices, selected.slice, forward, same);
  if (slice >= 0) model.goTo({ ...selected, slice }, loaded, now);
}

/** Without a mouse: the first slice in view of the first track in view. */
function selectFirst(model: TimelineModel): void {
  for (const item of model.layout.items) {
    if (item.type !== 'track' || item.y < model.scrollTop) continue;
    const loaded = model.store.peek(item);
    if (loaded?.kind !== 'slices' || loaded.slices.start.length === 0) continue;
    const { start } = model.viewOf(item);
    const slice = loaded.slices.start.findIndex((time) => time >= start);
    return model.select({ profile: item.profile, track: item.track, slice: Math.max(0, slice) }, loaded);
  }
}

/** Rows that are shown, from the top, with what they hold. */
function shownRows(model: TimelineModel): { item: TrackItem; row: number; loaded: LoadedSlices }[] {
  return model.layout.items.flatMap((item) => {
    const loaded = item.type === 'track' ? model.store.peek(item) : null;
    if (item.type !== 'track' || loaded?.kind !== 'slices') return [];
    const { rowBegin } = loaded.slices;
    const rows = Array.from({ length: Math.min(item.rows, rowBegin.length - 1) }, (_, row) => ({ item, row, loaded }));
    return rows.filter(({ row }) => rowBegin[row + 1]! > rowBegin[row]!);
  });
}

/** To the slice that begins last before the selected one, in the row below or above. */
function goToRow(model: TimelineModel, below: boolean, now: number): void {
  const { selected } = model;
  const own = selected && model.store.peek(selected);
  if (!selected || own?.kind !== 'slices') return selectFirst(model);
  const rows = shownRows(model);
  const row = rowOf(own.slices, selected.slice);
  const key = trackKey(selected.profile, selected.track);
  const at = rows.findIndex((other) => other.item.key === key && other.row === row);
  const next = rows[below ? at + 1 : at - 1];
  if (at < 0 || !next) return;
  const { item, loaded } = next;
  const { slices } = loaded;
  const time = model.spanOf(selected, own).start - model.shiftOf(item);
  const [begin, end] = [slices.rowBegin[next.row]!, slices.rowBegin[next.row + 1]!];
  const slice = Math.max(begin, lowerBound(slices.start, begin, end, time + 1) - 1);
  model.goTo({ profile: item.profile, track: item.track, slice }, loaded, now);
}

/** From GPU work to its call, from a call to the first of its work. */
export async function followLaunch(model: TimelineModel, now: number): Promise<void> {
  const { selected } = model;
  const loaded = selected && model.store.peek(selected);
  if (!selected || loaded?.kind !== 'slices') return;
  const call = launchingCall(model, selected, loaded.slices);
  const to = call ?? (selected.track.kind === 'gpu' ? undefined : (await launchedWork(model, selected))[0]);
  const other = to && (await model.store.slices(to));
  if (to && other && model.selected === selected) model.goTo(to, other, now);
}

/** Keys that are held move the view until they are let go. */
export function holdKey(model: TimelineModel, key: string, command: Command, now: number): void {
  const push = kHeld[command];
  if (!push || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  model.motion.hold(key, push, now);
  model.repaint();
}
