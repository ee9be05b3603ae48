import type { ProfileDocument } from '../data/format.ts';
import type { Report } from '../data/report.ts';
import { arranged, kAsRecorded, withShown, type Arrangement } from './arrangement.ts';
import { lanesOf, stepSpan, type Alignment, type Lanes } from './lanes.ts';
import {
  closedAtFirst,
  itemOf,
  keysAbove,
  layoutOf,
  nodesOf,
  trackKey,
  type Layout,
  type Node,
  type TrackItem,
  type TrackRef,
} from './layout.ts';
import { Motion } from './motion.ts';
import { kNotesElement, notesOf, type Note } from './notes.ts';
import { rowOf } from './row_index.ts';
import { TrackStore, type LoadedSlices } from './track_store.ts';
import { clampView, focusView, lengthOf, panView, wholeView, zoomView, type Span } from './viewport.ts';

export interface SliceRef extends TrackRef {
  slice: number;
}

/** A selected span (on the axis) of some tracks. */
export interface Area {
  span: Span;
  tracks: TrackRef[];
}

/** A marked span on a profile's own clock. */
export interface Mark {
  profile: number;
  rank: number;
  span: Span;
}

/** Beside a step, of its length. */
const kStepRoom = 0.1;

/** What the timeline shows: view, open headings, selection. Tells its listeners what to draw again. */
export class TimelineModel {
  readonly documents: readonly ProfileDocument[];
  readonly store: TrackStore;
  /** As recorded, and as they are shown. */
  readonly nodes: Node[];
  shown: Node[];
  arrangement: Arrangement = kAsRecorded;
  /** Lines where steps begin. */
  stepLines = true;
  readonly motion = new Motion();
  readonly closed: Set<string>;
  /** What was closed before the reader did anything. */
  readonly closedFirst: ReadonlySet<string>;
  alignment: Alignment = { by: 'time' };
  lanes: Lanes;
  layout: Layout;
  view: Span;
  width = 0;
  height = 0;
  scrollTop = 0;
  /** What is to be shown once the timeline itself is. */
  private toReveal: { ref: TrackRef; row: number } | null = null;
  selected: SliceRef | null = null;
  selectedName = '';
  area: Area | null = null;
  notes: readonly Note[];
  /** Whether the file has them as they are. */
  savedNotes = true;
  mark: Mark | null = null;
  hover: SliceRef | null = null;
  /** Where zooming by keys is centred: the pointer, or null for the middle. */
  pointerX: number | null = null;
  /** Set by the view: moves the tracks so that this y is on top. */
  scrollTo: (y: number) => void = () => {};

  constructor(
    readonly report: Report,
    /** Draw the canvases again. */
    readonly repaint: () => void,
    /** Something beside the canvases changed too. */
    readonly changed: () => void,
  ) {
    this.documents = report.profiles.map((profile) => profile.document);
    this.store = new TrackStore(report, repaint);
    this.nodes = nodesOf(this.documents);
    this.notes = notesOf(document.getElementById(kNotesElement)?.textContent ?? '[]', this.documents.length);
    this.closed = closedAtFirst(this.nodes);
    this.closedFirst = new Set(this.closed);
    this.lanes = lanesOf(this.documents, this.alignment);
    this.shown = this.nodes;
    this.layout = layoutOf(this.shown, this.closed);
    this.view = wholeView(this.lanes.bounds);
  }

  /** Of the tracks, in CSS pixels; a page that is not shown has none. */
  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    const late = this.toReveal;
    if (late && height > 0) {
      this.toReveal = null;
      this.reveal(late.ref, late.row);
    }
    this.repaint();
  }

  shiftOf({ profile, track }: TrackRef): number {
    return this.lanes.shift(profile, track.rank);
  }

  /** The view on a track's own clock. */
  viewOf(ref: TrackRef): Span {
    const shift = this.shiftOf(ref);
    return { start: this.view.start - shift, end: this.view.end - shift };
  }

  // ------------------------------------------------------------------------------------------------------ the view

  setView(view: Span): void {
    this.motion.stop();
    this.view = clampView(view, this.lanes.bounds);
    this.repaint();
  }

  glideTo(view: Span, now: number): void {
    const to = clampView(view, this.lanes.bounds);
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return this.setView(to);
    this.motion.glideTo(this.view, to, now);
    this.repaint();
  }

  pan(pixels: number): void {
    this.setView(panView(this.view, (pixels / this.width) * lengthOf(this.view), this.lanes.bounds));
  }

  glidePan(share: number, now: number): void {
    const from = this.motion.target(this.view);
    this.glideTo(panView(from, share * lengthOf(from), this.lanes.bounds), now);
  }

  /** The moment at which keys zoom. */
  anchor(view: Span = this.view): number {
    const share = this.pointerX === null ? 0.5 : this.pointerX / Math.max(1, this.width);
    return view.start + share * lengthOf(view);
  }

  glideZoom(factor: number, now: number, atPointer = true): void {
    const from = this.motion.target(this.view);
    const anchor = atPointer ? this.anchor(from) : (from.start + from.end) / 2;
    this.glideTo(zoomView(from, factor, anchor, this.lanes.bounds), now);
  }

  zoomAt(factor: number, x: number): void {
    const anchor = this.view.start + (x / this.width) * lengthOf(this.view);
    this.setView(zoomView(this.view, factor, anchor, this.lanes.bounds));
  }

  showAll(now: number): void {
    this.glideTo(wholeView(this.lanes.bounds), now);
  }

  /** Moves the view on if it is moving; true while it is. */
  advance(now: number): boolean {
    if (!this.motion.moving) return false;
    this.view = clampView(this.motion.step(this.view, this.lanes.bounds, this.anchor(), now), this.lanes.bounds);
    return true;
  }

  align(alignment: Alignment): void {
    const old = this.lanes;
    const first = this.selected ?? { profile: 0, track: { rank: 0 } };
    this.alignment = alignment;
    this.lanes = lanesOf(this.documents, alignment);
    const by = this.lanes.shift(first.profile, first.track.rank) - old.shift(first.profile, first.track.rank);
    this.area = null;
    this.setView({ start: this.view.start + by, end: this.view.end + by });
    if (alignment.by === 'step') this.showStep(alignment.step);
    this.changed();
  }

  /** Goes to the step that the axis begins with, unless it is in view. */
  private showStep(step: number): void {
    const { start, end } = stepSpan(this.documents, step);
    const room = kStepRoom * (end - start);
    if (start < this.view.start || end > this.view.end) this.setView({ start: start - room, end: end + room });
  }

  // ------------------------------------------------------------------------------------------------------ headings

  toggle(key: string): void {
    if (!this.closed.delete(key)) this.closed.add(key);
    this.relayout();
  }

  arrange(arrangement: Arrangement): void {
    this.arrangement = arrangement;
    this.relayout();
  }

  setNotes(notes: readonly Note[]): void {
    this.notes = notes;
    this.savedNotes = false;
    this.changed();
    this.repaint();
  }

  notesSaved(): void {
    this.savedNotes = true;
    this.changed();
  }

  showSteps(shown: boolean): void {
    this.stepLines = shown;
    this.changed();
    this.repaint();
  }

  private relayout(): void {
    this.shown = arranged(this.nodes, this.arrangement);
    this.layout = layoutOf(this.shown, this.closed);
    this.changed();
    this.repaint();
  }

  /** Opens what is above a track. */
  open(ref: TrackRef, withRows: boolean): void {
    const key = trackKey(ref.profile, ref.track);
    this.arrangement = withShown(this.arrangement, keysAbove(this.nodes, key));
    this.shown = arranged(this.nodes, this.arrangement);
    const keys = keysAbove(this.shown, key);
    const shut = (withRows ? keys : keys.slice(0, -1)).filter((key) => this.closed.delete(key));
    if (shut.length > 0 || !itemOf(this.layout, key)) this.relayout();
  }

  itemOf(ref: TrackRef): TrackItem | null {
    const item = itemOf(this.layout, trackKey(ref.profile, ref.track));
    return item?.type === 'track' ? item : null;
  }

  /** Opens and scrolls so that the row can be seen. */
  reveal(ref: TrackRef, row: number): void {
    this.open(ref, row > 0);
    if (this.height <= 0) this.toReveal = { ref, row };
    const item = this.itemOf(ref);
    if (!item) return;
    const y = item.y + Math.min(row, item.rows - 1) * item.rowHeight;
    const above = y < this.scrollTop + 4;
    const below = y + item.rowHeight > this.scrollTop + this.height - 4;
    if (above || below) this.scrollTo(Math.max(0, y - this.height / 3));
  }

  revealSlice(ref: SliceRef, { slices }: LoadedSlices): void {
    this.reveal(ref, rowOf(slices, ref.slice));
  }

  // ----------------------------------------------------------------------------------------------------- selection

  /** `loaded` of the slice's track. */
  select(ref: SliceRef, loaded: LoadedSlices): void {
    this.selected = ref;
    this.selectedName = nameOf(ref, loaded);
    this.area = null;
    this.changed();
    this.repaint();
  }

  selectArea(area: Area | null): void {
    this.area = area;
    this.selected = null;
    this.selectedName = '';
    this.changed();
    this.repaint();
  }

  clear(): void {
    this.mark = null;
    this.selectArea(null);
  }

  /** Span of a slice on the axis. */
  spanOf(ref: SliceRef, { slices }: LoadedSlices): Span {
    const shift = this.shiftOf(ref);
    return { start: slices.start[ref.slice]! + shift, end: slices.end[ref.slice]! + shift };
  }

  /** Selects a slice and brings it into view; moves in time only where it must. */
  goTo(ref: SliceRef, loaded: LoadedSlices, now: number): void {
    this.select(ref, loaded);
    this.revealSlice(ref, loaded);
    const span = this.spanOf(ref, loaded);
    const view = this.motion.target(this.view);
    const room = 0.02 * lengthOf(view);
    if (span.start >= view.start + room && span.end <= view.end - room) return;
    if (lengthOf(span) > 0.8 * lengthOf(view)) return this.glideTo(focusView(span, this.lanes.bounds), now);
    const start = (span.start + span.end - lengthOf(view)) / 2;
    this.glideTo({ start, end: start + lengthOf(view) }, now);
  }
}

/** What people read for a slice's name: some have none. */
export const kNoName = '(no name)';

export const nameOf = ({ track, slice }: SliceRef, { slices, texts }: LoadedSlices): string =>
  texts[track.names[slices.name[slice]!]![0]] ?? '';
