import { indexCounter, type CounterIndex } from './counter_index.ts';
import type { Inks } from './inks.ts';
import { itemsBetween, trackKey, type Item, type TrackRef } from './layout.ts';
import type { PaintedRow } from './paint_rows.ts';
import { dimmed, paletteOf, type Palette } from './palette.ts';
import type { Row } from './row_strip.ts';
import type { TimelineSearch } from './timeline_search.ts';
import type { TimelineModel } from './timeline_model.ts';
import type { LoadedCounter, LoadedSlices } from './track_store.ts';
import type { Scheme } from '../theme/colours.ts';

/** A counter, and where it stands. */
export interface PaintedCounter {
  index: CounterIndex;
  y: number;
  height: number;
  shift: number;
  minimum: number;
  maximum: number;
  unit: string;
}

/** What is in view now, for the painters. */
export interface Scene {
  items: Item[];
  rows: PaintedRow[];
  counters: PaintedCounter[];
  /** y and height of what is not decoded yet, and of what cannot be. */
  waiting: { y: number; height: number }[];
  broken: { y: number; height: number; says: string }[];
}

interface Colours {
  plain: Palette;
  shown: Palette;
  /** The search that `shown` is for. */
  flags: Uint8Array | null;
}

/** Makes scenes; keeps colours of tracks for as long as the scheme stays. */
export class SceneMaker {
  private colours = new Map<string, Colours>();
  private counters = new Map<string, CounterIndex>();

  constructor(
    private readonly model: TimelineModel,
    private readonly search: TimelineSearch,
  ) {}

  forget(): void {
    this.colours = new Map();
  }

  make(inks: Inks, scheme: Scheme): Scene {
    const { layout, scrollTop, height } = this.model;
    const items = layout.items.slice(...itemsBetween(layout, scrollTop, scrollTop + height));
    const scene: Scene = { items, rows: [], counters: [], waiting: [], broken: [] };
    const refs = items.flatMap(refsOf);
    this.model.store.prefer(refs);
    for (const item of items) for (const ref of refsOf(item)) this.add(scene, item, ref, inks, scheme);
    return scene;
  }

  private add(scene: Scene, item: Item, ref: TrackRef, inks: Inks, scheme: Scheme): void {
    const y = item.y - this.model.scrollTop;
    const loaded = this.model.store.get(ref);
    if (loaded === null) scene.waiting.push({ y, height: item.height - 4 });
    else if (loaded instanceof Error) scene.broken.push({ y, height: item.height, says: loaded.message });
    else if (loaded.kind === 'counter') this.addCounter(scene, ref, loaded, y, item.height);
    else this.addRows(scene, item, ref, loaded, y, this.coloursOf(ref, loaded, inks, scheme));
  }

  private addRows(scene: Scene, item: Item, ref: TrackRef, loaded: LoadedSlices, y: number, palette: Palette): void {
    const { slices } = loaded;
    const quiet = item.type === 'group';
    const rows = item.type === 'track' ? item.rows : 1;
    const height = item.type === 'track' ? item.rowHeight : item.height - 10;
    const nameOf = (name: number) => {
      const [text, , shown = text] = ref.track.names[name]!;
      return loaded.texts[shown] ?? '';
    };
    for (let r = 0; r < rows && r + 1 < slices.rowBegin.length; ++r) {
      const top = quiet ? y + 5 : y + r * height;
      if (top + height < 0 || top > this.model.height) continue;
      const row = this.rowOf(ref, loaded, r);
      scene.rows.push({ row, y: top, height, view: this.model.viewOf(ref), palette, nameOf, quiet });
    }
  }

  rowOf(ref: TrackRef, { slices, index }: LoadedSlices, r: number): Row {
    const begin = slices.rowBegin[r]!;
    const end = slices.rowBegin[r + 1]!;
    return { slices, index, begin, end, hits: this.search.hits(ref) };
  }

  private addCounter(scene: Scene, ref: TrackRef, loaded: LoadedCounter, y: number, height: number): void {
    const key = trackKey(ref.profile, ref.track);
    let index = this.counters.get(key);
    if (!index) this.counters.set(key, (index = indexCounter(loaded.points)));
    const { minimum, maximum, unit } = ref.track.counter ?? { minimum: 0, maximum: 1, unit: '' };
    const shift = this.model.shiftOf(ref);
    scene.counters.push({ index, y, height, shift, minimum: Math.min(0, minimum), maximum, unit });
  }

  private coloursOf(ref: TrackRef, { texts }: LoadedSlices, inks: Inks, scheme: Scheme): Palette {
    const key = trackKey(ref.profile, ref.track);
    const flags = this.search.flags(ref);
    const known = this.colours.get(key);
    if (known && known.flags === flags) return known.shown;
    const plain = known?.plain ?? paletteOf(ref.track.names, texts, scheme);
    const shown = dimmed(plain, flags, inks.groundPixel, inks.muted);
    this.colours.set(key, { plain, shown, flags });
    return shown;
  }
}

/** The tracks that an item shows slices of. */
export function refsOf(item: Item): TrackRef[] {
  return item.type === 'track' ? [{ profile: item.profile, track: item.track }] : item.summary;
}
