/** So that a test may have its own time. */
export interface Timers {
  now: () => number;
  after: (ms: number, call: () => void) => unknown;
  clear: (timer: unknown) => void;
}

const kBrowser: Timers = {
  now: () => performance.now(),
  after: (ms, call) => setTimeout(call, ms),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/**
 * Does a job when it is wished for: at once, but one at a time, and no sooner than `pause` ms after the last one ended.
 * Any number of wishes meanwhile are met once.
 */
export class Paced {
  private isRunning = false;
  private isWished = false;
  private timer: unknown = null;
  private endedAt = -Infinity;

  constructor(
    private readonly job: () => Promise<void> | void,
    private readonly pause: number,
    private readonly timers: Timers = kBrowser,
  ) {}

  wish(): void {
    this.isWished = true;
    this.next();
  }

  /** Forgets wishes that were not met. */
  stop(): void {
    this.isWished = false;
    this.timers.clear(this.timer);
    this.timer = null;
  }

  private next(): void {
    if (!this.isWished || this.isRunning || this.timer !== null) return;
    const left = this.endedAt + this.pause - this.timers.now();
    if (left <= 0) return void this.run();
    this.timer = this.timers.after(left, () => {
      this.timer = null;
      if (this.isWished) void this.run();
    });
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    this.isWished = false;
    try {
      await this.job();
    } finally {
      this.isRunning = false;
      this.endedAt = this.timers.now();
      this.next();
    }
  }
}
