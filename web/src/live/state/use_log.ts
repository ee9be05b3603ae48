import { useEffect, useState } from 'preact/hooks';
import type { LogStream } from '../api/tasks.ts';
import { followLog, kLogPart } from './log_follow.ts';
import { readRange, withWholeGap, type AskLog } from './log_range.ts';
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
  const ask: AskLog = (from, limit, follow = false, signal) =>
    service.client.tasks.log(of.task, { stream, attempt, from, limit, follow }, signal);
  useEffect(() => {
    const left = new AbortController();
    void followLog(
      {
        ask: async (from, follow) => {
          const part = await ask(from, kLogPart, follow, left.signal);
          return from < 0 ? withWholeGap(ask, part) : part;
        },
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
  const earlier = async () => {
    const from = Math.max(0, text.from - kLogPart);
    try {
      const parts = await readRange(ask, from, text.from);
      setText((before) => (before.from === text.from ? parts.reduceRight(prepended, before) : before));
    } catch (problem) {
      service.failed(problem);
      setError(problem);
    }
  };
  return { text, error, isLoading, earlier };
}
