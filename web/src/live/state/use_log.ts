import { useEffect, useState } from 'preact/hooks';
import type { LogPart, LogStream } from '../api/tasks.ts';
import { followLog, kLogPart } from './log_follow.ts';
import { appended, kNoLog, prepended, type LogText } from './log_text.ts';
import { pause, type Service } from './service.ts';

export interface LogOf {
  task: number;
  stream: LogStream;
  attempt: number;
}

/** What was printed: its end at first, and what comes while the caller is shown. `of` never changes. */
export function useLog(service: Service, of: LogOf) {
  const [text, setText] = useState<LogText>(kNoLog);
  const [error, setError] = useState<unknown>(null);
  const [isLoading, setLoading] = useState(true);
  const { stream, attempt } = of;
  const ask = (from: number, limit: number, follow: boolean, signal: AbortSignal) =>
    service.client.tasks.log(of.task, { stream, attempt, from, limit, follow }, signal);
  useEffect(() => {
    const left = new AbortController();
    void followLog(
      {
        ask: (from, follow) => ask(from, kLogPart, follow, left.signal),
        onPart: (part) => {
          setLoading(false);
          setError(null);
          setText((before) => appended(before, part));
        },
        onError: (problem) => {
          service.failed(problem);
          setError(problem);
        },
        wait: pause,
        random: Math.random,
      },
      left.signal,
    );
    return () => left.abort();
  }, []);
  /** The part between two offsets. A limit counts bytes of text: behind a gap it would reach beyond `to`. */
  const askRange = async (from: number, to: number): Promise<LogPart> => {
    const { signal } = new AbortController();
    const part = await ask(from, to - from, false, signal);
    const start = part.from + part.left_out_bytes;
    if (part.next <= to) return part;
    if (start >= to) return { ...part, left_out_bytes: to - part.from, next: to, text: '' };
    const { text: kept, next } = await ask(start, to - start, false, signal);
    return { ...part, text: kept, next };
  };
  const earlier = async () => {
    const from = Math.max(0, text.from - kLogPart);
    try {
      const part = await askRange(from, text.from);
      setText((before) => (before.from === text.from ? prepended(before, part) : before));
    } catch (problem) {
      service.failed(problem);
      setError(problem);
    }
  };
  return { text, error, isLoading, earlier };
}
