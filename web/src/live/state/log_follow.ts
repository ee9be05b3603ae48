import { pauseBefore } from '../api/event_stream.ts';
import { isFinal } from '../api/problem.ts';
import type { LogPart } from '../api/tasks.ts';

/** Bytes of one answer; what is shown at first. */
export const kLogPart = 64 << 10;
/** ms between two questions: a task that prints without end asks for no more. */
const kPause = 400;
/** So many full answers in a row: the task prints faster than it can be followed, and its end is what counts. */
const kMostFull = 6;

export interface LogHooks {
  ask: (from: number, follow: boolean) => Promise<LogPart>;
  /** Parts in their order; one that begins behind the end of the last one leaves a gap. */
  onPart: (part: LogPart) => void;
  /** It failed and is asked for again, or never: false. */
  onError: (error: unknown, goesOn: boolean) => void;
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  random: () => number;
}

/** Reads the end of a log, and then what comes behind it, until it is whole or `signal`. */
export async function followLog(hooks: LogHooks, signal: AbortSignal): Promise<void> {
  let next: number | null = null;
  let full = 0;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const isLate: boolean = full >= kMostFull;
      const part: LogPart = await hooks.ask(next === null || isLate ? -kLogPart : next, next !== null && !isLate);
      if (signal.aborted) return;
      failures = 0;
      full = !isLate && next !== null && part.next - part.from >= kLogPart ? full + 1 : 0;
      // The end may begin before what is known already: that is asked for once more from there.
      if (next === null || part.from >= next) {
        hooks.onPart(part);
        next = part.next;
        if (part.whole) return;
      }
    } catch (error) {
      if (signal.aborted) return;
      hooks.onError(error, !isFinal(error));
      if (isFinal(error)) return;
      await hooks.wait(pauseBefore(++failures, hooks.random()), signal).catch(() => undefined);
      continue;
    }
    await hooks.wait(kPause, signal).catch(() => undefined);
  }
}
