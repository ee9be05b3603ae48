/** A report with a timeline of any size, as `sonde report` would write it; for tests and for looking at. */
import { deflateRawSync } from 'node:zlib';
import type { BlobSource } from '../src/data/blobs.ts';
import type {
  Category,
  ColumnEntry,
  ColumnsBlob,
  Detail,
  JsonBlob,
  ProfileDocument,
  ReportDocument,
  Steps,
  Tiles,
  Track,
  TrackKind,
} from '../src/data/format.ts';
import { varints, zigzag } from './encode.ts';

export interface SampleOptions {
  /** Events on all tracks together, about. */
  events: number;
  gpus?: number;
  ranks?: number;
  profiles?: number;
  /** Threads that launch nothing. */
  workers?: number;
  /** OS calls of each of these, whose rows then stand close together as one thread's; 0 for a few. */
  calls?: number;
  /** Merges runs of so many slices, with tiles; 1 for none. */
  merge?: number;
  seed?: number;
}

export interface Sample {
  document: ReportDocument;
  blobs: Map<string, string>;
  source: BlobSource;
  /** What went in, before anything was merged: for brute force. */
  events: SampleEvent[];
}

export interface SampleEvent {
  profile: number;
  track: number;
  row: number;
  name: string;
  start: number;
  end: number;
}

/** Mulberry32: the same numbers everywhere. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const kOddNames = [
  '<img src=x onerror="document.title=1"><b>bold</b>&amp;',
  '</script><script>throw 1</script>',
  '🚀🔥 launch 👩‍👩‍👧‍👦 family',
  'نواة ضرب المصفوفات',
  '\u202eright-to-left override\u202c',
  '行列積カーネル',
  '',
  `void long_kernel<${'Very::Nested::Type, '.repeat(500)}int>()`,
];

const kKernels: [string, Category, number][] = [
  ['ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn', 'matrix', 90e3],
  ['flash_fwd_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4, false, false, cutlass::bfloat16_t>>', 'attention', 60e3],
  ['void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl>(int, float)', 'elementwise', 9e3],
  ['softmax_warp_forward<float, float, float, 8, false, false>', 'softmax', 14e3],
  ['ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)', 'communication', 120e3],
  ['layer_norm_kernel', 'kernel', 11e3],
];

class BlobWriter {
  readonly blobs = new Map<string, string>();

  private put(bytes: Uint8Array): { id: string; bytes: number } {
    const id = `blob-${this.blobs.size}`;
    this.blobs.set(id, deflateRawSync(bytes, { level: 1 }).toString('base64'));
    return { id, bytes: bytes.length };
  }

  json<T>(value: T): JsonBlob<T> {
    return this.put(new TextEncoder().encode(JSON.stringify(value)));
  }

  columns(list: [string, ColumnEntry['encoding'], number[]][]): ColumnsBlob {
    const columns: ColumnEntry[] = [];
    const parts = list.map(([name, encoding, values]) => {
      const bytes = encoded(encoding, values);
      const offset = columns.reduce((sum, column) => sum + column.bytes, 0);
      columns.push({ name, encoding, count: values.length, offset, bytes: bytes.length });
      return bytes;
    });
    return { ...this.put(Buffer.concat(parts)), columns };
  }
}

function encoded(encoding: ColumnEntry['encoding'], values: number[]): Uint8Array {
  if (encoding === 'varint') return varints(values);
  if (encoding === 'delta') return varints(values.map((value, i) => zigzag(value - (values[i - 1] ?? 0))));
  return new Uint8Array(Float64Array.from(values).buffer);
}

export interface RawSlice {
  start: number;
  end: number;
  name: string;
  category: Category;
  detail?: Detail;
  launch?: { track: number; index: number };
}

interface RawTrack {
  kind: TrackKind;
  label: string;
  path: string[];
  place: string;
  rank: number;
  rows: RawSlice[][];
}

interface Merged extends RawSlice {
  count: number;
  busy: number;
  /** Indexes of RawSlices that it stands for, in its row. */
  from: number;
}

function mergedRow(row: RawSlice[], merge: number, detailed: [number, number][]): Merged[] {
  const found: Merged[] = [];
  const isDetailed = ({ start, end }: RawSlice) => detailed.some(([a, b]) => end >= a && start <= b);
  for (let i = 0; i < row.length;) {
    let after = i + 1;
    if (!isDetailed(row[i]!)) while (after < row.length && after < i + merge && !isDetailed(row[after]!)) ++after;
    const group = row.slice(i, after);
    const time = new Map<string, number>();
    for (const { name, start, end } of group) time.set(name, (time.get(name) ?? 0) + end - start);
    const most = [...time].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    const busy = group.reduce((sum, { start, end }) => sum + end - start, 0);
    const slice = group.find(({ name }) => name === most)!;
    const only = group.length === 1 ? slice : { name: most, category: slice.category };
    found.push({ ...only, start: row[i]!.start, end: row[after - 1]!.end, count: group.length, busy, from: i });
    i = after;
  }
  return found;
}

/** Writes tracks with their texts, as one timeline. */
class TimelineWriter {
  readonly texts: string[] = [];
  private readonly textIndex = new Map<string, number>();

  constructor(
    private readonly writer: BlobWriter,
    private readonly merge: number,
    private readonly detailed: [number, number][],
  ) {}

  text(name: string): number {
    let index = this.textIndex.get(name);
    if (index === undefined) {
      index = this.texts.push(name) - 1;
      this.textIndex.set(name, index);
    }
    return index;
  }

  track(raw: RawTrack, id: number): Track {
    const names: [number, Category][] = [];
    const nameIndex = new Map<string, number>();
    const nameOf = ({ name, category }: RawSlice): number => {
      const key = `${category}/${name}`;
      if (!nameIndex.has(key)) nameIndex.set(key, names.push([this.text(name), category]) - 1);
      return nameIndex.get(key)!;
    };
    raw.rows.flat().forEach(nameOf);
    const rows = raw.rows.map((row) => mergedRow(row, this.merge, this.detailed));
    const all = rows.flat();
    const details: Detail[] = [];
    const columns: [string, ColumnEntry['encoding'], number[]][] = [
      ['gap', 'varint', rows.flatMap((row) => row.map(({ start }, i) => start - (row[i - 1]?.end ?? 0)))],
      ['duration', 'varint', all.map(({ start, end }) => end - start)],
      ['name', 'varint', all.map(nameOf)],
      ['detail', 'varint', all.map(({ detail }) => (detail ? details.push(detail) : 0))],
    ];
    if (all.some(({ launch }) => launch)) {
      columns.push(['launch_track', 'delta', all.map(({ launch }) => (launch ? launch.track + 1 : 0))]);
      columns.push(['launch', 'delta', all.map(({ launch }) => launch?.index ?? 0)]);
    }
    const merged = all.flatMap(({ count }, i) => (count > 1 ? [i] : []));
    if (merged.length) {
      columns.push(['merged_at', 'delta', merged]);
      columns.push(['merged_count', 'varint', merged.map((i) => all[i]!.count)]);
      columns.push(['merged_busy_ns', 'varint', merged.map((i) => all[i]!.busy)]);
    }
    return {
      id,
      kind: raw.kind,
      label: raw.label,
      path: raw.path,
      place: raw.place,
      rank: raw.rank,
      events: raw.rows.flat().length,
      total_ns: raw.rows.flat().reduce((sum, { start, end }) => sum + end - start, 0),
      rows: rows.map((row) => row.length),
      names,
      details: details.length ? this.writer.json(details) : null,
      data: this.writer.columns(columns),
      counter: null,
    };
  }
}

interface Made {
  tracks: RawTrack[];
  step: { start: number; end: number }[];
}

const kKernelsAStep = 400;

/** One rank: GPUs with streams, the thread that launches for each, and threads that do not. */
function makeRank(
  random: () => number,
  kernels: number,
  options: Required<SampleOptions>,
  rank: number,
  base: number,
): Made {
  const tracks: RawTrack[] = [];
  const process = [`Process ${1000 + rank} python train.py`];
  const step: Made['step'] = [];
  for (let gpu = 0; gpu < options.gpus; ++gpu) {
    const place = `GPU ${gpu}`;
    const path = [place, 'NVIDIA H100 80GB HBM3'];
    const thread = `Thread ${2000 + 10 * rank + gpu}${gpu === 0 ? ' main' : ''}`;
    const at = { path: [...process, thread], place: `thread ${2000 + 10 * rank + gpu}`, rank };
    const streams: RawSlice[][] = [[], [], []];
    const api: RawSlice[] = [];
    const ranges: RawSlice[][] = [[], [], []];
    let now = Math.floor(random() * 20000);
    const free = [0, 0, 0];
    const apiTrack = base + tracks.length + 5;
    let stepStart = now;
    let layerStart = now;
    for (let k = 0; k < kernels; ++k) {
      const odd = k % 97 === 5;
      const isCopy = k % 40 === 0;
      const [name, category, time] = isCopy
        ? (['[CUDA memcpy Host-to-Device]', 'copy_h2d', 30e3] as [string, Category, number])
        : odd
          ? ([kOddNames[Math.floor(k / 97) % kOddNames.length]!, 'kernel', 20e3] as [string, Category, number])
          : kKernels[Math.floor(random() ** 2 * kKernels.length)]!;
      const stream = isCopy ? 2 : category === 'communication' ? 1 : 0;
      const duration = Math.max(900, Math.round(time * (0.4 + 1.2 * random())));
      const callTime = Math.round(3000 + 4000 * random());
      const start = Math.max(free[stream]!, now + callTime + Math.round(2000 * random()));
      const launch = { track: apiTrack, index: api.length };
      const detail: Detail = isCopy
        ? [['bytes', '2.88 MB']]
        : [
            ['grid', `${1 + (k % 300)} x 1 x 1`],
            ['block', '128 x 1 x 1'],
          ];
      streams[stream]!.push({ start, end: start + duration, name, category, launch, ...(k % 3 ? {} : { detail }) });
      free[stream] = start + duration;
      api.push({
        start: now,
        end: now + callTime,
        name: isCopy ? 'cudaMemcpyAsync' : 'cudaLaunchKernel',
        category: isCopy ? 'transfer' : 'launch',
      });
      now += callTime + Math.round(random() * 1500);
      if (k % 20 === 19) {
        ranges[1]!.push({ start: layerStart, end: now, name: `layer ${Math.floor(k / 20) % 20}`, category: 'range' });
        ranges[2]!.push({
          start: layerStart,
          end: Math.round((layerStart + now) / 2),
          name: 'attention',
          category: 'range',
        });
        layerStart = now;
      }
      if (k % kKernelsAStep === kKernelsAStep - 1 || k === kernels - 1) {
        const wait = Math.max(now + 2000, Math.max(...free));
        api.push({ start: now, end: wait, name: 'cudaDeviceSynchronize', category: 'wait' });
        now = wait;
        ranges[0]!.push({ start: stepStart, end: now, name: 'train_step', category: 'range' });
        if (gpu === 0) step.push({ start: stepStart, end: now });
        now += Math.round(80e3 * random());
        stepStart = layerStart = now;
      }
    }
    const idle = idleOf(streams);
    tracks.push(
      {
        kind: 'step',
        label: 'Steps',
        path,
        place,
        rank,
        rows: [ranges[0]!.map((range) => ({ ...range, category: 'step' as const }))],
      },
      { kind: 'idle', label: 'Idle, and why', path, place, rank, rows: [idle] },
      ...streams.map((row, s): RawTrack => ({ kind: 'gpu', label: `Stream ${7 + s}`, path, place, rank, rows: [row] })),
      { kind: 'api', label: 'CUDA API', ...at, rows: [api] },
      { kind: 'range', label: 'NVTX', ...at, rows: ranges },
      { kind: 'os', label: 'OS runtime', ...at, rows: [osOf(random, now, Math.ceil(kernels / 60))] },
    );
  }
  const last = Math.max(...step.map(({ end }) => end));
  for (let worker = 0; worker < options.workers; ++worker) {
    const thread = options.calls ? 3000 : 3000 + worker;
    const path = [...process, `Thread ${thread} pt_data_worker`];
    const row = osOf(random, last, options.calls || Math.ceil(kernels / 100) + 3);
    tracks.push({ kind: 'os', label: 'OS runtime', path, place: `thread ${thread}`, rank, rows: [row] });
  }
  return { tracks, step };
}

function osOf(random: () => number, until: number, count: number): RawSlice[] {
  const row: RawSlice[] = [];
  let now = 0;
  for (let i = 0; i < count; ++i) {
    now += Math.round((2 * random() * 0.7 * until) / count);
    const end = now + Math.round((random() * 0.3 * until) / count);
    row.push({
      start: now,
      end,
      name: ['poll', 'pthread_cond_wait', 'read', 'ioctl'][Math.floor(4 * random())]!,
      category: 'call',
    });
    now = end;
  }
  return row;
}

function idleOf(streams: RawSlice[][]): RawSlice[] {
  const all = streams.flat().sort((a, b) => a.start - b.start);
  const idle: RawSlice[] = [];
  let until = 0;
  for (const { start, end } of all) {
    if (start > until + 3000) idle.push({ start: until, end: start, name: 'host is busy', category: 'idle_host' });
    until = Math.max(until, end);
  }
  return idle;
}

function tilesOf(writer: BlobWriter, raw: RawTrack[], tracks: Track[], texts: string[], span: number): Tiles {
  const tile_ns = Math.ceil(span / 500);
  const rows: [track: number, name: number, tile: number, count: number, total: number][] = [];
  raw.forEach((track, id) => {
    const byKey = new Map<string, [number, number, number, number, number]>();
    for (const slice of track.rows.flat()) {
      const name = tracks[id]!.names.findIndex(([text, cat]) => texts[text] === slice.name && cat === slice.category);
      const tile = Math.floor(slice.start / tile_ns);
      const entry = byKey.get(`${name}/${tile}`) ?? [id, name, tile, 0, 0];
      entry[3] += 1;
      entry[4] += slice.end - slice.start;
      byKey.set(`${name}/${tile}`, entry);
    }
    rows.push(...[...byKey.values()].sort((a, b) => a[1] - b[1] || a[2] - b[2]));
  });
  const column = (i: number) => rows.map((row) => row[i]!);
  const data = writer.columns([
    ['track', 'delta', column(0)],
    ['name', 'delta', column(1)],
    ['tile', 'delta', column(2)],
    ['count', 'varint', column(3)],
    ['total_ns', 'varint', column(4)],
  ]);
  return { tile_ns, count: Math.ceil((span + 1) / tile_ns), data };
}

function counterTrack(
  writer: BlobWriter,
  random: () => number,
  id: number,
  span: number,
  rank: number,
  label: string,
): Track {
  const time: number[] = [];
  const value: number[] = [];
  for (let t = 0; t < span; t += Math.round(span / 2000)) {
    time.push(t);
    value.push(Math.round(50 + 45 * Math.sin(t / (span / 25)) + 5 * random()));
  }
  const data = writer.columns([
    ['time', 'delta', time],
    ['value', 'f64', value],
  ]);
  return {
    id,
    kind: 'counter',
    label,
    path: ['GPU 0', 'NVIDIA H100 80GB HBM3'],
    place: 'GPU 0',
    rank,
    events: time.length,
    total_ns: 0,
    rows: [time.length],
    names: [],
    details: null,
    data,
    counter: { unit: '%', minimum: Math.min(...value), maximum: Math.max(...value) },
  };
}

export function profileSkeleton(label: string): ProfileDocument {
  return {
    label,
    span_ns: 0,
    summary: {
      avg_kernel_time: null,
      sources: [],
      total_ns: 0,
      set_up_ns: 0,
      after_ns: 0,
      gpus: [],
      kernel_time: null,
      launch_latency: null,
      warm_up: null,
      kernels: [],
      api_calls: [],
      import_log: [],
    },
    diagnosis: {
      wall_ns: 0,
      steps: null,
      answer: 'could_not_look',
      headline: null,
      explained: { by_findings_ns: 0, work_ns: 0, idle_ns: 0 },
      findings: [],
      not_recorded: [],
      no_conclusion: [],
    },
    capture: { files: [], gpus: [], missing: [] },
    steps: null,
    timeline: { texts: { id: '', bytes: 0 }, ranks: [''], tracks: [], events: 0, slices: 0, detailed: [], tiles: null },
    sections: {},
  };
}

function stepsOf(made: Made[]): Steps {
  const ranks = made.map(({ step }, rank) => {
    const nought = step.map(() => 0);
    return {
      rank,
      start_ns: step.map(({ start }) => start),
      end_ns: step.map(({ end }) => end),
      gpu_busy_ns: nought,
      kernels: nought,
      launches: nought,
      copy_bytes: nought,
    };
  });
  return { range: 'train_step', warm_up: 0, ranks };
}

function makeProfile(
  writer: BlobWriter,
  options: Required<SampleOptions>,
  p: number,
): [ProfileDocument, SampleEvent[]] {
  const random = randomOf(options.seed + 7919 * p);
  const kernels = Math.max(4, Math.round(options.events / options.profiles / options.ranks / options.gpus / 2.15));
  const raw: RawTrack[] = [];
  const made: Made[] = [];
  for (let rank = 0; rank < options.ranks; ++rank) {
    const one = makeRank(random, kernels, options, rank, raw.length);
    made.push(one);
    raw.push(...one.tracks);
  }
  let span = 0;
  for (const track of raw) for (const row of track.rows) span = Math.max(span, row.at(-1)?.end ?? 0);
  const detailed: [number, number][] = options.merge > 1 ? [[Math.round(0.4 * span), Math.round(0.45 * span)]] : [];
  if (options.merge > 1) forgetLaunches(raw);
  const timeline = new TimelineWriter(writer, options.merge, detailed);
  const tracks = raw.map((track, id) => timeline.track(track, id));
  const document = profileSkeleton(options.profiles > 1 ? ['base', 'new'][p]! : 'sample');
  const tiles = options.merge > 1 ? tilesOf(writer, raw, tracks, timeline.texts, span) : null;
  const slices = tracks.reduce((sum, track) => sum + track.rows.reduce((a, b) => a + b, 0), 0);
  tracks.push(counterTrack(writer, random, tracks.length, span, 0, 'SM active'));
  const events = raw.flatMap((track, id) =>
    track.rows.flatMap((row, r) =>
      row.map(({ name, start, end }) => ({ profile: p, track: id, row: r, name, start, end })),
    ),
  );
  document.span_ns = span;
  document.steps = stepsOf(made);
  document.timeline = {
    texts: writer.json(timeline.texts),
    ranks: options.ranks > 1 ? Array.from({ length: options.ranks }, (_, rank) => `Rank ${rank}`) : [''],
    tracks,
    events: events.length,
    slices,
    detailed,
    tiles,
  };
  return [document, events];
}

/** Indexes of calls are of no use once calls are merged. */
function forgetLaunches(raw: RawTrack[]): void {
  for (const track of raw) for (const slice of track.rows.flat()) delete slice.launch;
}

const kDefaults = { gpus: 1, ranks: 1, profiles: 1, workers: 3, calls: 0, merge: 1, seed: 1 };

export function sampleReport(given: SampleOptions): Sample {
  const options: Required<SampleOptions> = { ...kDefaults, ...given };
  const writer = new BlobWriter();
  const profiles = Array.from({ length: options.profiles }, (_, p) => makeProfile(writer, options, p));
  const document: ReportDocument = {
    schema: 'sonde.report/1',
    sonde_version: 'sample',
    title: `Sample of ${options.events} events`,
    profiles: profiles.map(([profile]) => profile),
    differences: null,
  };
  const { blobs } = writer;
  return { document, blobs, source: (id) => blobs.get(id)!, events: profiles.flatMap(([, events]) => events) };
}
