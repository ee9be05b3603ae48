import { EventParser, type StreamEvent } from './event_parser.ts';
import { isFinal } from './problem.ts';

export interface StreamHooks {
  /** Asks for the stream; throws what keeps it from being there. */
  open: (lastId: string, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;
  onOpen: () => void;
  onEvent: (event: StreamEvent) => void;
  /** Anything came, also a comment: the connection lives. */
  onBytes: () => void;
  /** It ended and is tried again after `pause` ms, or never: null. */
  onBroken: (error: unknown, pause: number | null) => void;
  /** Resolves after so many ms; rejects when it is aborted. */
  wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** 0 to 1, so that many pages do not come back at the same moment. */
  random: () => number;
}

const kFirstPause = 1000;
const kLongestPause = 30_000;

/** How long to wait before the n-th attempt in a row, from 1: twice as long each time, 50 to 100 % of it. */
export function pauseBefore(attempt: number, random: number, first: number = kFirstPause): number {
  const whole = Math.min(kLongestPause, first * 2 ** Math.min(attempt - 1, 20));
  return Math.round(whole * (0.5 + random / 2));
}

async function readAll(stream: ReadableStream<Uint8Array>, parser: EventParser, hooks: StreamHooks): Promise<void> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    hooks.onBytes();
    for (const event of parser.push(value)) hooks.onEvent(event);
  }
}

/** Follows a stream of events until `signal`, or an error that no attempt mends; goes on after the last event seen. */
export async function followEvents(hooks: StreamHooks, signal: AbortSignal): Promise<void> {
  let lastId = '';
  let retry: number | undefined;
  let failures = 0;
  const onEvent = (event: StreamEvent) => {
    failures = 0;
    hooks.onEvent(event);
  };
  while (!signal.aborted) {
    const parser = new EventParser();
    parser.lastId = lastId;
    const error = await followOnce(parser, { ...hooks, onEvent }, signal);
    if (signal.aborted) return;
    lastId = parser.lastId;
    retry = parser.retry ?? retry;
    const pause = isFinal(error) ? null : pauseBefore(++failures, hooks.random(), retry);
    hooks.onBroken(error, pause);
    if (pause === null) return;
    await hooks.wait(pause, signal).catch(() => undefined);
  }
}

/** Until it breaks: by what, null where the stream just ended. */
async function followOnce(parser: EventParser, hooks: StreamHooks, signal: AbortSignal): Promise<unknown> {
  try {
    const stream = await hooks.open(parser.lastId, signal);
    hooks.onOpen();
    await readAll(stream, parser, hooks);
    return null;
  } catch (error) {
    return error;
  }
}
