/** Work goes on for so long before the page may do something else. */
const kBusyMs = 12;

export const nextTask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Lets the page breathe in the middle of long work. */
export class Breaths {
  private since = performance.now();

  /** Between two parts of the work. */
  async take(): Promise<void> {
    if (performance.now() - this.since < kBusyMs) return;
    await nextTask();
    this.since = performance.now();
  }
}
