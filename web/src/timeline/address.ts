import { trackKey, tracksOf, type Node } from './layout.ts';
import type { TimelineModel } from './timeline_model.ts';
import type { Span } from './viewport.ts';

/** What the address says of the timeline: the view, headings that were opened or closed, and the selected slice. */

export interface TimelineState {
  view: Span | null;
  /** Places of the headings and tracks in the order from the top. */
  toggled: number[];
  selected: { profile: number; track: number; slice: number } | null;
  /** Places of rows in the order from the top: pinned, hidden; and of moved ones those in their new order. */
  pinned?: number[];
  hidden?: number[];
  moved?: number[];
  /** No lines where steps begin. */
  noSteps?: boolean;
}

const kNumber = '(-?\\d{1,15})';
const kView = new RegExp(`^view-${kNumber}-${kNumber}$`);
const kRows = /^(rows|pin|hide|move)-(\d{1,6}(?:\.\d{1,6})*)$/;
const kRowParts = { rows: 'toggled', pin: 'pinned', hide: 'hidden', move: 'moved' } as const;
const kNoSteps = 'no-steps';
const kSlice = /^slice-(\d{1,3})-(\d{1,6})-(\d{1,9})$/;

/** "view-0-1000000/rows-3.7/slice-0-12-345"; what cannot be read is left out. Null where nothing can. */
export function timelineState(detail: string): TimelineState | null {
  const state: TimelineState = { view: null, toggled: [], selected: null };
  let known = false;
  for (const part of detail.split('/')) {
    const view = kView.exec(part);
    const rows = kRows.exec(part);
    const slice = kSlice.exec(part);
    known ||= (view ?? rows ?? slice) !== null || part === kNoSteps;
    if (view && Number(view[2]) > Number(view[1])) state.view = { start: Number(view[1]), end: Number(view[2]) };
    if (rows) state[kRowParts[rows[1] as keyof typeof kRowParts]] = rows[2]!.split('.').map(Number);
    if (part === kNoSteps) state.noSteps = true;
    if (slice) state.selected = { profile: Number(slice[1]), track: Number(slice[2]), slice: Number(slice[3]) };
  }
  return known ? state : null;
}

export function timelineDetail(state: TimelineState): string {
  const { view, selected } = state;
  const parts = view ? [`view-${Math.round(view.start)}-${Math.round(view.end)}`] : [];
  for (const [word, rows] of Object.entries(kRowParts)) {
    const places = state[rows] ?? [];
    if (places.length > 0) parts.push(`${word}-${places.join('.')}`);
  }
  if (state.noSteps) parts.push(kNoSteps);
  if (selected) parts.push(`slice-${selected.profile}-${selected.track}-${selected.slice}`);
  return parts.join('/');
}

const keysOf = (nodes: readonly Node[]): string[] =>
  nodes.flatMap((node) => [node.key, ...(node.type === 'group' ? keysOf(node.children) : [])]);

/** What the timeline shows now. */
export function stateOf(model: TimelineModel): TimelineState {
  const { selected, view, arrangement } = model;
  const keys = keysOf(model.nodes);
  const places = new Map(keys.map((key, i) => [key, i]));
  const placesOf = (some: Iterable<string>) => [...some].flatMap((key) => places.get(key) ?? []);
  const moved = [...arrangement.ranks].sort(([, a], [, b]) => a - b).map(([key]) => key);
  const toggled = keys.flatMap((key, i) => (model.closed.has(key) !== model.closedFirst.has(key) ? [i] : []));
  const slice = selected && { profile: selected.profile, track: selected.track.id, slice: selected.slice };
  return {
    view,
    toggled,
    selected: slice,
    pinned: placesOf(arrangement.pinned),
    hidden: placesOf(arrangement.hidden),
    moved: placesOf(moved),
    noSteps: !model.stepLines,
  };
}

/** Shows it; what the report does not have is left out. */
export async function showState(model: TimelineModel, state: TimelineState): Promise<void> {
  const keys = keysOf(model.nodes);
  keys.forEach((key, i) => {
    const closed = model.closedFirst.has(key) !== state.toggled.includes(i);
    if (closed !== model.closed.has(key)) model.toggle(key);
  });
  const keysAt = (some: readonly number[] = []) => some.flatMap((i) => keys[i] ?? []);
  model.arrange({
    pinned: keysAt(state.pinned),
    hidden: new Set(keysAt(state.hidden)),
    // Only the order counts: rows below one heading were moved together.
    ranks: new Map(keysAt(state.moved).map((key, rank) => [key, rank])),
  });
  model.showSteps(!state.noSteps);
  if (state.view) model.setView(state.view);
  const { selected } = state;
  if (!selected) return;
  const ref = model.nodes
    .flatMap(tracksOf)
    .find(({ profile, track }) => trackKey(profile, track) === `${selected.profile}/${selected.track}`);
  const loaded = ref && (await model.store.slices(ref));
  if (!ref || !loaded || selected.slice >= loaded.slices.start.length) return;
  model.select({ ...ref, slice: selected.slice }, loaded);
  model.revealSlice({ ...ref, slice: selected.slice }, loaded);
}
