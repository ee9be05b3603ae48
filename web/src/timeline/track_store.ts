import type { Track } from '../data/format.ts';
import type { Profile, Report } from '../data/report.ts';
import type { CounterPoints, Slices } from '../data/slices.ts';
import { Breaths, nextTask } from './breaths.ts';
import { trackKey, type TrackRef } from './layout.ts';
import { indexSlices, type SliceIndex } from './row_index.ts';

export interface LoadedSlices {
  kind: 'slices';
  texts: string[];
  slices: Slices;
  index: SliceIndex;
}

export interface LoadedCounter {
  kind: 'counter';
  points: CounterPoints;
}

export type Loaded = LoadedSlices | LoadedCounter;
/** An Error where the track's part of the file cannot be read. */
type State = Loaded | Error | 'waiting';

/** Decodes tracks one after another, those first that were asked for last, and lets the page breathe in between. */
export class TrackStore {
  private readonly states = new Map<string, State>();
  private waiting: { ref: TrackRef; done: ((state: Loaded | Error) => void)[] }[] = [];
  private working = false;

  constructor(
    private readonly report: Report,
    private readonly onLoaded: () => void,
  ) {}

  /** null while it is not there; asks for it then. */
  get(ref: TrackRef): Loaded | Error | null {
    const state = this.states.get(trackKey(ref.profile, ref.track));
    if (state === undefined) this.enqueue(ref, []);
    return state === undefined || state === 'waiting' ? null : state;
  }

  /** What is there already, without asking for more. */
  peek(ref: TrackRef): Loaded | null {
    const state = this.states.get(trackKey(ref.profile, ref.track));
    return state === undefined || state === 'waiting' || state instanceof Error ? null : state;
  }

  /** Moves what is in view to the front. */
  prefer(refs: readonly TrackRef[]): void {
    if (this.waiting.length < 2) return;
    const keys = new Set(refs.map((ref) => trackKey(ref.profile, ref.track)));
    const first = (entry: { ref: TrackRef }) => keys.has(trackKey(entry.ref.profile, entry.ref.track));
    this.waiting = [...this.waiting.filter(first), ...this.waiting.filter((entry) => !first(entry))];
  }

  load(ref: TrackRef): Promise<Loaded | Error> {
    const key = trackKey(ref.profile, ref.track);
    const state = this.states.get(key);
    if (state !== undefined && state !== 'waiting') return Promise.resolve(state);
    return new Promise((resolve) => {
      const entry = this.waiting.find((other) => trackKey(other.ref.profile, other.ref.track) === key);
      if (entry) entry.done.push(resolve);
      else this.enqueue(ref, [resolve]);
    });
  }

  async slices(ref: TrackRef): Promise<LoadedSlices | null> {
    const loaded = await this.load(ref);
    return !(loaded instanceof Error) && loaded.kind === 'slices' ? loaded : null;
  }

  private enqueue(ref: TrackRef, done: ((state: Loaded | Error) => void)[]): void {
    this.states.set(trackKey(ref.profile, ref.track), 'waiting');
    this.waiting.push({ ref, done });
    if (!this.working) void this.work();
  }

  private async work(): Promise<void> {
    this.working = true;
    await nextTask();
    const breaths = new Breaths();
    for (let entry = this.waiting[0]; entry; entry = this.waiting[0]) {
      const state = await this.decode(entry.ref);
      this.states.set(trackKey(entry.ref.profile, entry.ref.track), state);
      this.waiting = this.waiting.filter((other) => other !== entry);
      entry.done.forEach((tell) => tell(state));
      this.onLoaded();
      await breaths.take();
    }
    this.working = false;
  }

  private async decode({ profile, track }: TrackRef): Promise<Loaded | Error> {
    try {
      return await loaded(this.report.profiles[profile]!, track);
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

async function loaded(profile: Profile, track: Track): Promise<Loaded> {
  if (track.kind === 'counter') return { kind: 'counter', points: await profile.points(track) };
  const texts = await profile.texts();
  const slices = await profile.slices(track);
  return { kind: 'slices', texts, slices, index: indexSlices(slices) };
}
