import { blobsOfPage, bytesOf, jsonOf, type BlobSource } from './blobs.ts';
import { readColumns } from './columns.ts';
import type {
  ColumnsBlob,
  Detail,
  Differences,
  GateDecision,
  ProfileDocument,
  ReportDocument,
  Sections,
  Track,
} from './format.ts';
import {
  decodeCounter,
  decodeSlices,
  decodeTiles,
  type CounterPoints,
  type Slices,
  type TileColumns,
} from './slices.ts';

/** Does work once, when it is first asked for. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}

/** One profile of the page; what is large is decoded when it is first asked for. */
export class Profile {
  readonly texts: () => Promise<string[]>;
  /** Sums of what begins in each tile; null where every event is on the timeline. */
  readonly tiles: () => Promise<TileColumns | null>;
  private readonly slicesOfTrack: (() => Promise<Slices>)[];
  private readonly pointsOfTrack: (() => Promise<CounterPoints>)[];
  private readonly detailsOfTrack = new Map<number, Promise<Detail[]>>();
  private readonly sections = new Map<string, Promise<unknown>>();

  constructor(
    readonly index: number,
    readonly document: ProfileDocument,
    private readonly source: BlobSource,
  ) {
    const { tracks, texts, tiles } = document.timeline;
    this.texts = once(() => jsonOf(source, texts));
    this.tiles = once(async () => tiles && decodeTiles(tiles.tile_ns, await this.columnsOf(tiles.data)));
    this.slicesOfTrack = tracks.map((track) => once(async () => decodeSlices(track, await this.columnsOf(track.data))));
    this.pointsOfTrack = tracks.map((track) => once(async () => decodeCounter(await this.columnsOf(track.data))));
  }

  /** Of a track that is no counter. */
  slices(track: Track): Promise<Slices> {
    return this.slicesOfTrack[track.id]!();
  }

  points(track: Track): Promise<CounterPoints> {
    return this.pointsOfTrack[track.id]!();
  }

  /** What slices of a track tell besides; empty where none of them does. */
  details(track: Track): Promise<Detail[]> {
    const { details } = track;
    if (!details) return Promise.resolve([]);
    if (!this.detailsOfTrack.has(track.id)) this.detailsOfTrack.set(track.id, jsonOf(this.source, details));
    return this.detailsOfTrack.get(track.id)!;
  }

  /** undefined where the profile has none. */
  section<Name extends keyof Sections>(name: Name): Promise<NonNullable<Sections[Name]['content']>> | undefined {
    const blob = this.document.sections[name];
    if (!blob) return undefined;
    if (!this.sections.has(name)) this.sections.set(name, jsonOf<unknown>(this.source, blob));
    return this.sections.get(name) as Promise<NonNullable<Sections[Name]['content']>>;
  }

  private async columnsOf(blob: ColumnsBlob): Promise<Map<string, Float64Array>> {
    return readColumns(await bytesOf(this.source, blob), blob.columns);
  }
}

export class Report {
  readonly profiles: Profile[];
  readonly differences: (() => Promise<Differences>) | null;
  readonly gate: (() => Promise<GateDecision>) | null;

  constructor(
    readonly document: ReportDocument,
    source: BlobSource,
  ) {
    this.profiles = document.profiles.map((profile, index) => new Profile(index, profile, source));
    const differences = document.differences;
    this.differences = differences && once(() => jsonOf(source, differences));
    const { gate } = document;
    this.gate = gate ? once(() => jsonOf(source, gate)) : null;
  }
}

/** The report that this page holds. */
export function reportOfPage(): Report {
  const element = document.getElementById('sonde-report');
  if (!element?.textContent) throw new Error('this page holds no report');
  return new Report(JSON.parse(element.textContent) as ReportDocument, blobsOfPage());
}
