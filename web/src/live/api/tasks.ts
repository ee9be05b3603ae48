/** JSON of tasks, batches and the queue in the service's API. Moments are RFC 3339 in UTC; unknown is null. */

export type TaskState = 'blocked' | 'waiting' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export type TaskCause =
  | 'none'
  | 'exit'
  | 'signal'
  | 'out_of_memory'
  | 'time_limit'
  | 'queue_timeout'
  | 'cancelled'
  | 'dependency'
  | 'lost'
  | 'not_started'
  | 'worker';

export interface Attempt {
  number: number;
  /** UUIDs. */
  gpus: string[];
  started: string | null;
  ended: string | null;
  cause: TaskCause;
  exit_status: number | null;
  signal: number | null;
  message: string | null;
  reserved_bytes: number | null;
  memory_source: 'declared' | 'learned' | 'share';
  peak_bytes: number | null;
  recorded: boolean;
}

export interface Task {
  id: number;
  name: string | null;
  type: string;
  state: TaskState;
  cause: TaskCause;
  reason: string | null;
  priority: string;
  command: string[] | null;
  arguments_hidden: boolean;
  working_directory: string | null;
  inference: { model: string; version: string | null } | null;
  gpus: number;
  memory_bytes: number | null;
  time_limit_seconds: number | null;
  strategy: string | null;
  after: number[];
  batch: number | null;
  retries: number;
  profile: boolean | null;
  submitted: string;
  submitted_by: string;
  ready: string | null;
  started: string | null;
  ended: string | null;
  wait_seconds: number | null;
  run_seconds: number | null;
  cancelling: boolean;
  /** An event may leave them out. */
  attempts?: Attempt[];
}

export interface Tasks {
  tasks: Task[];
  next_before: number | null;
}

export interface Refusal {
  rule: string;
  reason: string;
  unblocked: string | null;
  for_good: boolean;
}

export interface Judgement {
  index: number;
  id: string;
  uuid: string;
  eligible: boolean;
  chosen: boolean;
  score: number | null;
  score_text: string | null;
  refusals: Refusal[];
}

export interface Decision {
  attempt: number;
  moment: string;
  strategy: string;
  note: string | null;
  waiting: number;
  gpus: Judgement[];
}

export interface Explanation {
  task: number;
  state: TaskState;
  summary: string;
  unblocks: string[];
  position: number | null;
  ahead: number[];
  start: { earliest: string; likely: string; latest: string } | null;
  start_unknown: string | null;
  gpus: Judgement[];
  decisions: Decision[];
}

export type LogStream = 'stdout' | 'stderr';

export interface LogPart {
  task: number;
  attempt: number;
  stream: LogStream;
  /** Offset in all that was printed. */
  from: number;
  next: number;
  /** Between `from` and the text. */
  left_out_bytes: number;
  /** The attempt is over and this is its end. */
  whole: boolean;
  text: string;
}

/** As `sonde why --format json` has it. */
export interface ProfileFinding {
  id: string;
  says: string;
  do: string;
}

export interface ProfileOfTask {
  task: number;
  attempt: number;
  why: string;
  state: string;
  file: string | null;
  findings: ProfileFinding[] | null;
  trouble: string | null;
  moment: string;
}

export interface TaskType {
  name: string;
  description: string | null;
  runs: 'command' | 'workers' | 'anything';
  /** Submissions may add arguments to its command. */
  allow_arguments?: boolean;
  gpus: number;
  memory_bytes: number | null;
  learned: { need_bytes: number; median_bytes: number; spread_bytes: number; tasks: number } | null;
  run_seconds: { low: number; median: number; high: number; tasks: number } | null;
  profiles: ProfileOfTask[];
}

export interface GpuSlots {
  /** Null: the GPU is gone. */
  id: string | null;
  uuid: string;
  tasks: number;
  max_tasks: number;
  reserved_bytes: number;
}

export interface Queue {
  moment: string;
  strategy: string;
  strategies: string[];
  length: number;
  max_length: number;
  timeout_seconds: number;
  by_priority: Record<string, number>;
  by_state: Record<string, number>;
  oldest_ready: string | null;
  /** Why nothing is taken in now. */
  trouble: string | null;
  gpus: GpuSlots[];
  /** In their order. */
  waiting: Task[];
  running: Task[];
}

export interface Batch {
  id: number;
  name: string | null;
  submitted: string;
  submitted_by: string;
  tasks: number[];
  /** UUID -> tasks; empty until it is decided. */
  split: Record<string, number>;
  /** How many of its tasks are in each state. */
  states: Partial<Record<TaskState, number>>;
}

export interface Batches {
  batches: Batch[];
  next_before: number | null;
}

export interface Submission {
  name?: string;
  type?: string;
  command?: string[];
  arguments?: string[];
  request?: unknown;
  priority?: string;
  gpus?: number;
  memory?: string;
}

/** Data of the event `task`. */
export interface TaskNews {
  change: 'submitted' | 'ready' | 'started' | 'retried' | 'ended' | 'cancelling' | 'profiled';
  task: Task;
}

/** Data of the event `batch`. */
export interface BatchNews {
  change: 'submitted' | 'split' | 'ended';
  batch: Batch;
}

/** Data of the event `queue`. */
export type QueueNews = Pick<Queue, 'length' | 'by_state' | 'trouble'>;
