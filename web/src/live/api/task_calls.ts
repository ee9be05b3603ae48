import type { CallOptions } from './call_options.ts';
import type {
  Batch,
  Batches,
  Explanation,
  LogPart,
  LogStream,
  ProfileOfTask,
  Queue,
  Submission,
  Task,
  Tasks,
  TaskType,
} from './tasks.ts';

export interface TaskQuery {
  /** Empty: all, likewise below. */
  states?: readonly string[];
  type?: string;
  by?: string;
  batch?: number | null;
  before?: number | null;
}

export interface LogQuery {
  stream: LogStream;
  attempt: number;
  /** Below 0: so many bytes before the end. */
  from: number;
  limit: number;
  /** Waits for more before it answers. */
  follow?: boolean;
}

/** Of one answer with tasks or batches. */
const kPage = 100;

/** Calls about tasks. */
export class TaskCalls {
  constructor(private readonly json: <T>(path: string, options?: CallOptions) => Promise<T>) {}

  queue = (limit: number): Promise<Queue> => this.json(`queue?limit=${limit}`);
  task = (id: number): Promise<Task> => this.json(`tasks/${id}`);
  explain = (id: number): Promise<Explanation> => this.json(`tasks/${id}/explain`);
  profiles = (id: number): Promise<{ profiles: ProfileOfTask[] }> => this.json(`tasks/${id}/profiles`);
  types = (): Promise<{ types: TaskType[] }> => this.json('task_types');
  batch = (id: number): Promise<Batch> => this.json(`batches/${id}`);
  cancel = (id: number): Promise<Task> => this.json(`tasks/${id}/cancel`, { body: {} });
  cancelBatch = (id: number): Promise<Batch> => this.json(`batches/${id}/cancel`, { body: {} });

  list({ states = [], type, by, batch, before }: TaskQuery): Promise<Tasks> {
    const query = new URLSearchParams({ limit: String(kPage) });
    if (states.length > 0) query.set('state', states.join(','));
    if (type) query.set('type', type);
    if (by) query.set('by', by);
    if (batch) query.set('batch', String(batch));
    if (before) query.set('before', String(before));
    return this.json(`tasks?${query}`);
  }

  batches(before: number | null = null): Promise<Batches> {
    const query = new URLSearchParams({ limit: String(kPage) });
    if (before) query.set('before', String(before));
    return this.json(`batches?${query}`);
  }

  log(id: number, { stream, attempt, from, limit, follow }: LogQuery, signal?: AbortSignal): Promise<LogPart> {
    const query = new URLSearchParams({
      stream,
      attempt: String(attempt),
      from: String(from),
      limit: String(limit),
      ...(follow ? { follow: 'true' } : {}),
    });
    return this.json(`tasks/${id}/log?${query}`, signal ? { signal } : {});
  }

  /** The same key again makes no second task. */
  submit = (submission: Submission, key: string): Promise<Task> =>
    this.json('tasks', { body: submission, headers: { 'Idempotency-Key': key } });
}
