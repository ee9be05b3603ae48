/**
 * The document that `sonde report` writes into the page, and the only thing that the two programs share. The other side
 * is src/report/page; docs/profiles/page.md tells both. All times are nanoseconds from the profile's first event, whole numbers
 * below 2^53. What was not recorded is null or absent, never 0.
 */

/** Parsed at once: what the page shows first. Everything else is in blobs. */
export interface ReportDocument {
  schema: 'sonde.report/1';
  sonde_version: string;
  title: string;
  /** One; with --base and --new two, in that order. None where the gate decided on records alone. */
  profiles: ProfileDocument[];
  /** Between the two. */
  differences: JsonBlob<Differences> | null;
  /** Of a page that `sonde gate` wrote. */
  gate?: JsonBlob<GateDecision>;
}

export interface ProfileDocument {
  /** "base", "new", or the file's name. */
  label: string;
  /** Length of the run: last end of what happened. */
  span_ns: number;
  summary: Summary;
  diagnosis: Diagnosis;
  capture: Capture;
  steps: Steps | null;
  timeline: Timeline;
  /** By the name of the section (src/report/page/sections.inc). A section that has nothing is not there. */
  sections: Partial<Sections>;
}

export interface Sections {
  modules: JsonBlob<Modules>;
  module_work: JsonBlob<ModuleWork>;
  /** The same with names that differ only by a number kept apart, where that makes few enough rows. */
  modules_exact: JsonBlob<Modules>;
  module_work_exact: JsonBlob<ModuleWork>;
  kernels: JsonBlob<Kernels>;
  copies: JsonBlob<Copies>;
  launches: JsonBlob<MeasuredLaunches>;
  stacks: JsonBlob<Stacks>;
  tables: JsonBlob<Tables>;
}

/** A JSON document of its own: <script type="application/vnd.sonde.blob" id=...> holds base64 of raw deflate. */
export interface JsonBlob<T> {
  id: string;
  /** Bytes when inflated. */
  bytes: number;
  /** Never there: says what the JSON text is. */
  content?: T;
}

/** Columns of numbers behind one another in one blob. */
export interface ColumnsBlob {
  id: string;
  bytes: number;
  columns: ColumnEntry[];
}

export interface ColumnEntry {
  name: string;
  /**
   * varint: LEB128 of whole numbers from 0. delta: LEB128 of the zigzag difference from the value before (from 0 at
   * the beginning). f64: little-endian doubles, NaN where absent.
   */
  encoding: 'varint' | 'delta' | 'f64';
  count: number;
  /** Where it begins in the blob. */
  offset: number;
  bytes: number;
}

// ---------------------------------------------------------------------------------------------- summary and findings

/** `sonde summary --json` (docs/schemas/summary.schema.json), with times from the first event. */
export interface Summary {
  avg_kernel_time: number | null;
  sources: Source[];
  total_ns: number;
  /** Before the first GPU work, and after the last. */
  set_up_ns: number;
  after_ns: number;
  gpus: GpuSummary[];
  kernel_time: Distribution | null;
  launch_latency: Distribution | null;
  warm_up: WarmUp | null;
  kernels: (Distribution & { name: string })[];
  api_calls: (Distribution & { name: string })[];
  import_log: ImportIssue[];
}

export interface Source {
  file: string;
  format: string;
  product: string;
  product_version: string | null;
  rank: number | null;
  world_size: number | null;
}

export interface GpuSummary {
  place: string;
  name: string | null;
  busy_ns: number;
  kernel_ns: number;
  copy_ns: number;
  set_ns: number;
  idle_ns: number;
  kernels: number;
  sets: number;
  graph_launches: number;
  copies: {
    direction: string;
    count: number;
    bytes: number | null;
    time_ns: number;
    bytes_per_s: number | null;
  }[];
}

export interface Distribution {
  count: number;
  total_ns: number;
  average_ns: number;
  median_ns: number;
  minimum_ns: number;
  maximum_ns: number;
  stddev_ns: number;
}

export interface WarmUp {
  range: string;
  iterations: number;
  slow_iterations: number;
  slow_average_ns: number | null;
  median_ns: number;
}

export interface ImportIssue {
  id: string;
  count: number;
  detail: string | null;
  what: string;
  meaning: string;
}

/** `sonde why --json`, with times from the first event. */
export interface Diagnosis {
  wall_ns: number;
  steps: { range: string; recorded: number; judged: number } | null;
  /** What recording cost a step, in words; absent where that is not known. */
  recorder?: { notes: { id: string; says: string }[] } | null;
  /** Whether there are findings that are not folded, none, or nothing could be looked at. */
  answer: 'problems' | 'nothing_found' | 'could_not_look';
  /** The answer where no finding leads. */
  headline: string | null;
  /** Where the judged time goes; the three add up to it. */
  explained: {
    by_findings_ns: number;
    work_ns: number;
    idle_ns: number;
    roofline?: { known_percent: number; roofline_percent: number };
  };
  findings: Finding[];
  not_recorded: string[];
  no_conclusion: { rule: string; id: string; says: string }[];
}

export interface Finding {
  id: string;
  /** The most wall time that a fix can save. */
  ceiling_ns: number;
  ceiling_percent: number;
  /** What a fix gains if it gains as measured fixes of its kind did; null where fewer than three were measured. */
  likely: { low_ns: number; high_ns: number; cases: number } | null;
  says: string;
  do: string;
  arguments: Record<string, number | string>;
  /** Where it shows, the heaviest first. */
  evidence: Evidence[];
  /** false: a mere bound, which no fix reaches. */
  reachable: boolean;
  /** true: not worth a card beside the others. */
  folded: boolean;
  /** false: it costs nothing yet. */
  takes_time: boolean;
  not_recorded: string[];
}

export interface Evidence {
  start_ns: number;
  end_ns: number;
  /** Track.place of where it shows: "GPU 0", "thread 1234"; may be of no track. */
  place: string;
  what: string | null;
  /** `what` as people name it. */
  brief: string | null;
  /** Of a kernel report: the launch by its number there. Its time begins at 0. */
  launch?: number;
}

/** How the profile was taken, and what it does not hold. Nothing private. */
export interface Capture {
  /** For each file: lines of a name and a value, as `sonde info` says them. */
  files: { title: string; facts: [string, string][] }[];
  gpus: { title: string; facts: [string, string][] }[];
  missing: { what: string; meaning: string }[];
}

/** Turns of what repeats, after the warm-up. One list a rank that has steps, in the order of ranks. */
export interface Steps {
  range: string;
  warm_up: number;
  ranks: StepsOfRank[];
}

export interface StepsOfRank {
  /** Timeline.ranks */
  rank: number;
  start_ns: number[];
  end_ns: number[];
  /** Of all GPUs of the rank together: busy and idle time add up to the steps' length times the number of GPUs. */
  gpu_busy_ns: number[];
  kernels: number[];
  launches: number[];
  copy_bytes: number[];
}

// ------------------------------------------------------------------------------------------------------- the timeline

export interface Timeline {
  /** JSON of an array of texts: what tracks name. */
  texts: JsonBlob<string[]>;
  /** Names of the ranks, for several; [""] for one. */
  ranks: string[];
  tracks: Track[];
  /** Events that the tracks stand for, and slices that are in the file: fewer where some were merged. */
  events: number;
  slices: number;
  /** Spans whose slices are all there although others were merged: where findings point, and a step. */
  detailed: [number, number][];
  /** Sums of what begins in each tile, where slices were merged; null where every event is there. */
  tiles: Tiles | null;
}

export type TrackKind =
  | 'step' // turns of what repeats
  | 'idle' // why a GPU did nothing
  | 'gpu' // kernels, copies and sets of a stream
  | 'projection' // one domain's ranges where their GPU work ran
  | 'range' // one domain's ranges of a thread
  | 'api' // CUDA calls of a thread
  | 'library' // cuBLAS, cuDNN, NCCL calls
  | 'os' // OS runtime calls
  | 'scheduling' // when the thread was on a core
  | 'sample' // where the thread was when it was sampled: moments
  | 'overhead' // the profiler's own
  | 'mark' // moments
  | 'counter';

/** Slices that do not overlap within a row. In the order in which tracks stand below one another. */
export interface Track {
  id: number;
  kind: TrackKind;
  /** What stands left of it, "Stream 7" or "CUDA API". */
  label: string;
  /** Headings above it, from the outside: ["GPU 0", "NVIDIA H100"], ["Process 1234 python", "Thread 1234 main"]. */
  path: string[];
  /** As Evidence names it: "GPU 0", "thread 1234". */
  place: string;
  /** Timeline.ranks */
  rank: number;
  events: number;
  /** Sum of the durations of its events. */
  total_ns: number;
  /** Slices of each row, the outermost row first; their columns follow one another. A counter has one row. */
  rows: number[];
  /** What its slices are named. */
  names: TrackName[];
  /** Tells more of slices: JSON of an array, see column `detail`. */
  details: JsonBlob<Detail[]> | null;
  /** Columns: see SliceColumns; of a counter CounterColumns. */
  data: ColumnsBlob;
  counter: { unit: string; minimum: number; maximum: number } | null;
}

/** [index of Timeline.texts, what it is, and of the text that is shown where there is little room, if it is another] */
export type TrackName = [text: number, category: Category, shown?: number];

/** What a slice is, which decides its colour. Kernels by what they compute. */
export type Category =
  | 'matrix'
  | 'attention'
  | 'softmax'
  | 'elementwise'
  | 'communication'
  | 'kernel' // any other
  | 'graph'
  | 'copy_h2d'
  | 'copy_d2h'
  | 'copy_d2d'
  | 'copy_p2p'
  | 'copy' // any other
  | 'set'
  | 'launch' // calls that put work on a GPU
  | 'wait' // calls that wait for a GPU
  | 'memory' // calls that allocate and release
  | 'transfer' // calls that copy
  | 'call' // any other
  | 'range'
  | 'step'
  | 'idle_host' // the GPU waits for the host
  | 'idle_sync' // for a call that waits
  | 'idle_other'
  | 'running'
  | 'overhead'
  | 'mark';

/**
 * Columns of a track's blob, a value a slice unless said otherwise; rows one after the other, by start in each.
 *
 * gap       varint  from the end of the slice before in this row (from 0) to its start
 * duration  varint
 * name      varint  index of Track.names
 * detail    varint  1 + index of Track.details, 0 for none; not there where no slice has any
 * launch_track, launch   delta  for what runs on a GPU: 1 + the launching call's track id, 0 where it is not known, and
 *           the call's index in that track's columns, any where it is not known. Not there where nothing is known.
 * merged_at delta   slices that stand for several events that follow one another: their indexes, ascending
 * merged_count, merged_busy_ns  varint  for each of these: how many, and the sum of their durations; `name` is the one
 *           with the most time
 */
export type SliceColumn =
  'gap' | 'duration' | 'name' | 'detail' | 'launch_track' | 'launch' | 'merged_at' | 'merged_count' | 'merged_busy_ns';

/** time delta, value f64: holds from its time to the next. Sampling may begin before the first event: times below 0. */
export type CounterColumn = 'time' | 'value';

/** Name and value, ready to be shown: ["grid", "128 x 1 x 1"]. "bytes" is a plain number. */
export type Detail = [string, string][];

/**
 * Tiles share out the run from 0 on. Columns: track, name, tile (delta each, ordered by them), count, total_ns (varint).
 * An event counts whole in the tile in which it begins, so that sums over all tiles are the sums of the statistics.
 */
export interface Tiles {
  tile_ns: number;
  count: number;
  data: ColumnsBlob;
}

// ----------------------------------------------------------------------------------------------------------- sections

/** A column for each; parents come before their children. */
export interface Modules {
  name: string[];
  domain: string[];
  /** -1 at the top. */
  parent: number[];
  calls: number[];
  /** null where all calls were open when the recording ended */
  host_ns: (number | null)[];
  host_self_ns: (number | null)[];
  /** Share of GPU time: self of all, and `outside`, add up to the GPUs' busy time. */
  device_self_ns: number[];
  device_total_ns: number[];
  /** GPUs waited for it. */
  idle_ns: number[];
  launches: number[];
  kernels: number[];
  copies: number[];
  copy_bytes: number[];
  /** Most device memory in use during it. */
  peak_bytes: (number | null)[];
  /** Its first call, and its longest. */
  first_ns: number[];
  longest_start_ns: number[];
  longest_end_ns: number[];
  /** Device time, with all modules inside: a column a rank, in the order of Timeline.ranks; null for one rank. */
  device_by_rank_ns: number[][] | null;
  outside: { device_ns: number; idle_ns: number; launches: number };
  whole: { device_ns: number; idle_ns: number; launches: number };
  /** Where reports of Nsight Compute were joined. */
  measured: ModuleMeasured | null;
}

export interface ModuleMeasured {
  /** Of all GPU time of kernels, the part that was matched. */
  matched_percent: number | null;
  says: string;
  /** With all modules inside, null where not measured. */
  dram_bytes: (number | null)[];
  l2_bytes: (number | null)[];
  occupancy_percent: (number | null)[];
  compute_percent: (number | null)[];
  memory_percent: (number | null)[];
  flop_per_byte: (number | null)[];
  bound: (string | null)[];
  /** The transfer plot: time of modules over the bytes that they move, a point for each that is in the fit. */
  transfer: TransferPlot[];
}

export interface TransferPlot {
  /** "DRAM", "L2" */
  memory: string;
  /** Row of Modules. */
  module: number[];
  bytes: number[];
  ns: number[];
  line: { slope_ns_per_byte: number; intercept_ns: number; r2: number | null } | null;
  /** Of the time of all kernels, the part whose kernels have these bytes and are in the plot. */
  measured_percent: number | null;
  bytes_per_s: number | null;
}

/** A row a kernel and launch shape, most time first. */
export interface Kernels {
  /** Times of a timeline add up; those of a kernel profiler are taken one by one. */
  measured: boolean;
  name: string[];
  short_name: string[];
  category: Category[];
  grid: (string | null)[];
  block: (string | null)[];
  registers: (number | null)[];
  shared_bytes: (number | null)[];
  count: number[];
  total_ns: (number | null)[];
  average_ns: (number | null)[];
  minimum_ns: (number | null)[];
  maximum_ns: (number | null)[];
  /** By formula, from the launch. */
  theoretical_occupancy_percent: (number | null)[];
  /** The longest launch, on the timeline. */
  longest_start_ns: (number | null)[];
  longest_end_ns: (number | null)[];
  /** What Nsight Compute measured, of the row's launches; null without. */
  counters: KernelCounters | null;
  rooflines: Roofline[];
}

export interface KernelCounters {
  dram_bytes: (number | null)[];
  l2_bytes: (number | null)[];
  compute_percent: (number | null)[];
  memory_percent: (number | null)[];
  occupancy_percent: (number | null)[];
  flop: (number | null)[];
  bound: (string | null)[];
}

/** One GPU's roofs for one kind of arithmetic, and the kernels below them. */
export interface Roofline {
  gpu: string;
  /** "FP32", "FP64", "FP16", "tensor fp16_dst_fp32" */
  arithmetic: string;
  flop_per_s: number;
  bytes_per_s: number;
  points: { kernel: number; flop_per_byte: number; flop_per_s: number; percent_of_roof: number | null }[];
}

/** What a kernel profiler measured, the longest launches first. */
export interface MeasuredLaunches {
  launches: MeasuredLaunch[];
  /** Shorter ones that are not here. */
  left_out: number;
}

export interface MeasuredLaunch {
  /** Its number in the report. */
  id: number;
  kernel: string;
  grid: string;
  block: string;
  duration_ns: number | null;
  advice: LaunchAdvice[];
  /** Tables that Sonde makes of the counters: memory, stall reasons, hot spots of the source. */
  views: { name: string; title: string; note: string; columns: TableColumn[]; rows: number }[];
}

/** Of the profiler's rules. */
export interface LaunchAdvice {
  title: string;
  says: string;
  /** As the profiler estimates it: of the whole kernel's time, or of one aspect. */
  speedup: { percent: number; whole_kernel: boolean } | null;
}

/** What modules launched themselves on GPUs, a row a module and name. */
export interface ModuleWork {
  /** Row of Modules; -1 outside any module. */
  module: number[];
  /** Index into `names`. */
  name: number[];
  count: number[];
  /** Shares of GPU time: those of a module add up to its device_self_ns. */
  device_ns: number[];
  /** Kernels, and "[CUDA memcpy Host-to-Device]" and the like. */
  names: string[];
}

/** Where host threads were when they were sampled. */
export interface Stacks {
  kinds: StackTree[];
}

/** Call stacks as a tree, a row a frame; threads at the top, parents before their children. */
export interface StackTree {
  /** "CPU samples", "Python samples" */
  title: string;
  /** With a call stack; frames with very few may be missing where there are many. */
  samples: number;
  name: string[];
  /** The binary or source file without its folder; "" where it is not known. */
  file: string[];
  /** -1 at the top. */
  parent: number[];
  /** Samples in the function itself, and with all that it called. */
  self: number[];
  total: number[];
}

/** A row a GPU, direction, size and kind of memory, most time first. */
export interface Copies {
  place: string[];
  direction: string[];
  category: Category[];
  /** "pinned", "pageable", "device"; null where not known */
  source: (string | null)[];
  destination: (string | null)[];
  bytes: (number | null)[];
  count: number[];
  total_ns: number[];
  minimum_ns: number[];
  maximum_ns: number[];
  longest_start_ns: number[];
  longest_end_ns: number[];
}

export interface Tables {
  tables: TableDocument[];
}

export interface TableDocument {
  /** As `sonde stats -r` knows it. */
  name: string;
  title: string;
  /** What each column is, for people. */
  description: string;
  note: string;
  columns: TableColumn[];
  /** Rows there are; the columns hold fewer where the table is long. */
  rows: number;
}

export interface TableColumn {
  name: string;
  unit: TableUnit;
  /** Digits after the point. */
  decimals: number;
  values: (number | string | null)[];
}

export type TableUnit = 'none' | 'ns' | 'bytes' | 'MB' | '%' | 'MB/s' | 'GB/s' | 'GFLOP/s' | 'FLOP/byte';

// -------------------------------------------------------------------------------------------------------- differences

/** From profiles[0] (base) to profiles[1] (new). */
export interface Differences {
  /** What is compared: a mean step of each where both have steps, else the runs. */
  per: 'step' | 'run';
  /** The part of the runs: from their first GPU work to their last, where a side has no steps. */
  part: 'steps' | 'gpu_work' | 'run';
  /** What cannot be compared, and what is compared instead. */
  notes: string[];
  base_ns: number;
  new_ns: number;
  /** By id. Indexes of Diagnosis.findings; null where the side does not have it. */
  findings: { id: string; base: number | null; new: number | null }[];
  /** Why: what explains the change first, then what goes against it. They add up to the change of the length times the GPUs. */
  causes: DifferenceCause[];
  /**
   * Over all GPUs of a side, most changed first, sums exact. Share of GPU time: modules' own, and that of kernels with
   * copies, sets and graph launches each as a whole, add up to busy time; copies to theirs. Idle time by cause adds up to
   * idle time, which with busy time is the length times the number of GPUs.
   */
  modules: DifferenceRow[];
  kernels: DifferenceRow[];
  copies: DifferenceRow[];
  idle: DifferenceRow[];
}

export interface DifferenceCause {
  id: string;
  /** Of GPU time, over all GPUs. */
  change_ns: number;
  says: string;
  arguments: Record<string, number | string>;
}

export interface DifferenceRow {
  /** The module's path with "/", the kernel's name, the copies' direction, the cause. */
  name: string;
  base_ns: number | null;
  new_ns: number | null;
  base_count: number | null;
  new_count: number | null;
}

// --------------------------------------------------------------------------------------------------------------- gate

/** `sonde gate -f json` (docs/schemas/gate.schema.json), as far as the page shows it. */
export interface GateDecision {
  budget: string | null;
  verdict: { outcome: GateOutcome; says: string };
  base: GateSide | null;
  new: GateSide;
  conditions: { condition: string; title: string; base: string; new: string; allowed: boolean }[];
  checks: GateCheck[];
  /** Causes add up to the change of GPU time; the rest stands last. */
  difference: { causes: { id: string; says: string; change_ns: number }[] } | null;
  kernel_reports: { kernel: string; says: string }[];
  notes: string[];
}

export type GateOutcome = 'pass' | 'fail' | 'inconclusive' | 'not_comparable' | 'learning';

export interface GateSide {
  label: string | null;
  sources: string[];
  conditions: Record<string, string>;
}

/** Numbers are in the metric's unit, which the key ends in; of an absent one the key is there with null. */
export interface GateCheck {
  rule: { name: string; line: number | null; metric: string; severity: 'error' | 'warning' };
  subject: string;
  outcome: GateOutcome;
  says: string;
  base?: number | null;
  base_ns?: number | null;
  base_bytes?: number | null;
  base_percent?: number | null;
  new?: number | null;
  new_ns?: number | null;
  new_bytes?: number | null;
  new_percent?: number | null;
  /** Of new / base; null where a bound is not known. */
  ratio_interval: { low: number | null; high: number | null; confidence: number } | null;
  p: number | null;
}
