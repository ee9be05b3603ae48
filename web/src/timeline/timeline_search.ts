import { Breaths } from './breaths.ts';
import { trackKey, tracksOf, type TrackRef } from './layout.ts';
import {
  firstOccurrences,
  hitsOf,
  matcherOf,
  matchingNames,
  nextOccurrence,
  searchTexts,
  type HitTrack,
  type Occurrence,
} from './search.ts';
import { eventsOfTiles } from './selection_sums.ts';
import type { SliceRef, TimelineModel } from './timeline_model.ts';
import type { LoadedSlices } from './track_store.ts';

interface Found extends HitTrack {
  ref: TrackRef;
  loaded: LoadedSlices;
}

/** The search of the whole timeline: decodes the tracks that have matching names, and goes through their slices. */
export class TimelineSearch {
  query = '';
  /** What is wrong with the expression. */
  error: string | null = null;
  names = 0;
  events = 0;
  /** All tracks were searched. */
  done = true;
  private found: Found[] = [];
  private readonly flagsOf = new Map<string, Uint8Array>();
  private readonly hitsOfTrack = new Map<string, Int32Array>();
  private position: Occurrence | null = null;
  private run = 0;

  constructor(private readonly model: TimelineModel) {}

  get active(): boolean {
    return this.query !== '' && this.error === null;
  }

  /** Of a track's names, those that match; null where nothing is searched. */
  flags({ profile, track }: TrackRef): Uint8Array | null {
    if (!this.active) return null;
    const key = trackKey(profile, track);
    let flags = this.flagsOf.get(key);
    if (!flags) this.flagsOf.set(key, (flags = new Uint8Array(track.names.length)));
    return flags;
  }

  hits({ profile, track }: TrackRef): Int32Array | null {
    return this.active ? (this.hitsOfTrack.get(trackKey(profile, track)) ?? null) : null;
  }

  async search(query: string): Promise<void> {
    const run = ++this.run;
    const test = matcherOf(query);
    this.reset(test === null ? '' : query, typeof test === 'string' ? test : null);
    if (typeof test === 'function') await this.collect(test, run);
    if (run !== this.run) return;
    this.done = true;
    this.tell();
  }

  private reset(query: string, error: string | null): void {
    this.query = query;
    this.error = error;
    this.names = this.events = 0;
    this.done = query === '' || error !== null;
    this.found = [];
    this.flagsOf.clear();
    this.hitsOfTrack.clear();
    this.position = null;
    this.tell();
  }

  private tell(): void {
    this.model.changed();
    this.model.repaint();
  }

  private async collect(test: (name: string) => boolean, run: number): Promise<void> {
    const texts = await Promise.all(this.model.report.profiles.map((profile) => profile.texts()));
    const matching = texts.map((all) => searchTexts(all, test));
    if (run !== this.run) return;
    const refs = this.model.nodes.flatMap(tracksOf);
    const searched = refs.flatMap((ref, order) => {
      const flags = ref.track.kind === 'counter' ? null : matchingNames(ref.track, matching[ref.profile]!);
      if (flags) this.flagsOf.set(trackKey(ref.profile, ref.track), flags);
      // Projections show ranges again: they are marked, not counted.
      return flags && ref.track.kind !== 'projection' ? [{ ref, flags, order }] : [];
    });
    // Texts hold other things than names of slices too, such as their short forms.
    const names = searched.flatMap(({ ref, flags }) =>
      ref.track.names.flatMap(([text], i) => (flags[i] === 1 ? [texts[ref.profile]![text]] : [])),
    );
    this.names = new Set(names).size;
    this.tell();
    const breaths = new Breaths();
    for (const { ref, flags, order } of searched) {
      await breaths.take();
      const loaded = await this.model.store.slices(ref);
      const tiles = await this.model.report.profiles[ref.profile]!.tiles();
      if (run !== this.run) return;
      if (!loaded) continue;
      const { hits, events } = hitsOf(loaded.slices, flags);
      this.found.push({ ref, loaded, track: order, slices: loaded.slices, hits, shift: 0 });
      this.hitsOfTrack.set(trackKey(ref.profile, ref.track), hits);
      this.events += (tiles && eventsOfTiles(tiles, ref.track.id, flags)) ?? events;
      this.tell();
    }
  }

  /** Slices that were found: fewer than events where some were merged. */
  get slices(): number {
    return this.found.reduce((sum, { hits }) => sum + hits.length, 0);
  }

  /** The first ones in time. */
  list(most: number): { ref: SliceRef; loaded: LoadedSlices }[] {
    const tracks = this.found.map((found) => ({ ...found, shift: this.model.shiftOf(found.ref) }));
    return firstOccurrences(tracks, most).map(({ track, slice }) => {
      const { ref, loaded } = this.found.find((found) => found.track === track)!;
      return { ref: { ...ref, slice }, loaded };
    });
  }

  /** Goes to the next occurrence in time, or back; begins at the left edge of the view. */
  next(forward: boolean, now: number): void {
    const tracks = this.found.map((found) => ({ ...found, shift: this.model.shiftOf(found.ref) }));
    const { view } = this.model;
    const from = this.position ?? { start: forward ? view.start : view.end, track: -1, slice: -1 };
    const next = nextOccurrence(tracks, from, forward);
    if (!next) return;
    this.position = next;
    const { ref, loaded } = this.found.find(({ track }) => track === next.track)!;
    this.model.goTo({ ...ref, slice: next.slice }, loaded, now);
  }
}
