import { blobsOfPage, bytesOf, jsonOf, type BlobSource } from './blobs.ts';
import { readColumns } from './columns.ts';
import type { Differences, ProfileDocument, ReportDocument, Sections, Track } from './format.ts';
import { decodeCounter, decodeSlices, type CounterPoints, type Slices } from './slices.ts';

/** Does work once, when it is first asked for. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}

/** One profile of the page; what is large is decoded when it is first asked for. */
export class Profile {
  readonly texts: () => Promise<string[]>;
  private readonly slicesOfTrack: (() => Promise<Slices>)[];
  private readonly pointsOfTrack: (() => Promise<CounterPoints>)[];
  private readonly sections = new Map<string, Promise<unknown>>();

  constructor(
    readonly index: number,
    readonly document: ProfileDocument,
    private readonly source: BlobSource,
  ) {
    const { tracks, texts } = document.timeline;
    this.texts = once(() => jsonOf(source, texts));
    this.slicesOfTrack = tracks.map((track) => once(async () => decodeSlices(track, await this.columnsOf(track))));
    this.pointsOfTrack = tracks.map((track) => once(async () => decodeCounter(await this.columnsOf(track))));
  }

  /** Of a track that is no counter. */
  slices(track: Track): Promise<Slices> {
    return this.slicesOfTrack[track.id]!();
  }

  points(track: Track): Promise<CounterPoints> {
    return this.pointsOfTrack[track.id]!();
  }

  /** undefined where the profile has none. */
  section<Name extends keyof Sections>(name: Name): Promise<NonNullable<Sections[Name]['content']>> | undefined {
    const blob = this.document.sections[name];
    if (!blob) return undefined;
    if (!this.sections.has(name)) this.sections.set(name, jsonOf<unknown>(this.source, blob));
    return this.sections.get(name) as Promise<NonNullable<Sections[Name]['content']>>;
  }

  private async columnsOf(track: Track): Promise<Map<string, Float64Array>> {
    return readColumns(await bytesOf(this.source, track.data), track.data.columns);
  }
}

export class Report {
  readonly profiles: Profile[];
  readonly differences: (() => Promise<Differences>) | null;

  constructor(
    readonly document: ReportDocument,
    source: BlobSource,
  ) {
    this.profiles = document.profiles.map((profile, index) => new Profile(index, profile, source));
    const differences = document.differences;
    this.differences = differences && once(() => jsonOf(source, differences));
  }
}

/** The report that this page holds. */
export function reportOfPage(): Report {
  const element = document.getElementById('sonde-report');
  if (!element?.textContent) throw new Error('this page holds no report');
  return new Report(JSON.parse(element.textContent) as ReportDocument, blobsOfPage());
}
