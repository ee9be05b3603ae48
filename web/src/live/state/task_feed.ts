import type { BatchNews, Queue, QueueNews, Task, TaskNews } from '../api/tasks.ts';
import { ApiProblem } from '../api/problem.ts';
import { Paced, type Timers } from './paced.ts';
import { applyTaskNews } from './queue_state.ts';
import { Store } from './store.ts';

/** ms between two pictures of what happens to tasks: a person sees no more, and a burst of events costs one render. */
const kPicture = 250;
/** ms between two readings of the whole queue. */
const kReadPause = 2000;
/** Tasks of the queue that are asked for; more of them nobody looks through. */
export const kMostWaiting = 1000;

export interface TaskFeedHooks {
  read: (limit: number) => Promise<Queue>;
  /** Notes what a reading failed with. */
  failed: (error: unknown) => void;
  timers?: Timers;
}

/** What the page knows of tasks. The queue is read while somebody watches it, and follows events in between. */
export class TaskFeed {
  readonly queue = new Store<Queue | null>(null);
  /** Why the queue could not be read; null once it is. */
  readonly trouble = new Store<unknown>(null);
  /** What the last picture changed, by number. */
  readonly latest = new Store<ReadonlyMap<number, Task>>(new Map());
  /** Grows with each picture that changed any task or batch, and after missed events. */
  readonly changes = new Store(0);
  /** Grows when everything is to be asked for anew. */
  readonly resets = new Store(0);
  private watchers = 0;
  private isStale = true;
  private tasks: TaskNews[] = [];
  private hasBatchNews = false;
  private readonly reading: Paced;
  private readonly picture: Paced;

  constructor(private readonly hooks: TaskFeedHooks) {
    this.reading = new Paced(() => this.read(), kReadPause, hooks.timers);
    this.picture = new Paced(() => this.draw(), kPicture, hooks.timers);
  }

  /** Somebody looks at the queue, until the call of what this returns. */
  watch(): () => void {
    ++this.watchers;
    if (this.isStale) this.reading.wish();
    return () => void --this.watchers;
  }

  /** Events were missed, or could have been. */
  reset(): void {
    this.resets.set(this.resets.get() + 1);
    this.changes.set(this.changes.get() + 1);
    this.reread();
  }

  /** The connection is there again: what failed is asked for anew. */
  connected(): void {
    const trouble = this.trouble.get();
    if (trouble instanceof ApiProblem && trouble.status === 0) this.reread();
  }

  stop(): void {
    this.reading.stop();
    this.picture.stop();
    this.tasks = [];
  }

  takeTask(news: TaskNews): void {
    this.tasks.push(news);
    this.picture.wish();
  }

  takeBatch(_news: BatchNews): void {
    this.hasBatchNews = true;
    this.picture.wish();
  }

  takeQueue({ length, by_state, trouble }: QueueNews): void {
    const queue = this.queue.get();
    if (queue) this.queue.set({ ...queue, length, by_state, trouble });
  }

  reread(): void {
    this.isStale = true;
    if (this.watchers > 0) this.reading.wish();
  }

  private async read(): Promise<void> {
    try {
      this.isStale = false;
      this.queue.set(await this.hooks.read(kMostWaiting));
      this.trouble.set(null);
    } catch (error) {
      this.isStale = true;
      this.hooks.failed(error);
      this.trouble.set(error);
    }
  }

  private draw(): void {
    const news = this.tasks;
    this.tasks = [];
    const changed = news.length > 0 || this.hasBatchNews;
    this.hasBatchNews = false;
    const queue = this.queue.get();
    if (queue && news.length > 0) {
      const next = applyTaskNews(queue, news);
      this.queue.set(next.queue);
      if (next.isGuess) this.reread();
    }
    if (news.length > 0) this.latest.set(new Map(news.map(({ task }) => [task.id, task])));
    if (changed) this.changes.set(this.changes.get() + 1);
  }
}
