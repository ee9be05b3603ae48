import { useMemo, useState } from 'preact/hooks';
import { kMostMatches, matchesOf, type LogMatch, type LogText } from '../../state/log_text.ts';
import { texts } from '../../text/texts.ts';

/** A search of what is loaded: the match that the reader stands at, and words on how many there are. */
export function useLogSearch(log: LogText) {
  const [query, setText] = useState('');
  const [current, setCurrent] = useState<LogMatch | null>(null);
  const matches = useMemo(() => matchesOf(log.blocks, query), [log.blocks, query]);
  const at = current ? matches.findIndex(({ block, index }) => block === current.block && index === current.index) : -1;
  const setQuery = (text: string) => {
    setText(text);
    setCurrent(null);
  };
  /** From the end backwards at first: the newest line matters most. */
  const step = (by: number) => {
    if (matches.length === 0) return;
    const from = at < 0 ? (by > 0 ? -1 : 0) : at;
    setCurrent(matches[(from + by + matches.length) % matches.length]!);
  };
  const { log: text } = texts.tasks;
  const all = matches.length < kMostMatches ? String(matches.length) : `${kMostMatches}+`;
  const said = query === '' ? '' : matches.length === 0 ? text.noMatch : text.matches(at + 1, all);
  return { query, setQuery, step, current: at < 0 ? null : current, said };
}
