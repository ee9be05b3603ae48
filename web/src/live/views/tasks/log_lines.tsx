import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { memo } from '../../../tables/memo.ts';
import { placesOf, readable, type LogBlock, type LogMatch, type LogText } from '../../state/log_text.ts';
import { memory } from '../../text/format.ts';
import { texts } from '../../text/texts.ts';

/** Pixels from the end within which the reader is at the end. */
const kAtEnd = 8;

interface LogLinesProps {
  log: LogText;
  wraps: boolean;
  /** Whether the end stays in sight; the reader's scrolling changes it. */
  follows: boolean;
  setFollows: (follows: boolean) => void;
  query: string;
  current: LogMatch | null;
  /** Loads what was printed before; null where nothing is missing. */
  earlier: (() => Promise<void>) | null;
}

/** The lines, as plain text, in a box that scrolls. */
export function LogLines({ log, wraps, follows, setFollows, query, current, earlier }: LogLinesProps) {
  const box = useRef<HTMLDivElement>(null);
  /** Where this component scrolled to: only other places are the reader's. */
  const own = useRef(-1);
  const [loading, setLoading] = useState(false);
  useLayoutEffect(() => {
    const { current: element } = box;
    if (!element || !follows) return;
    element.scrollTop = element.scrollHeight;
    own.current = element.scrollTop;
  }, [log, follows, wraps]);
  useEffect(() => {
    box.current?.querySelector('mark.current')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  const onScroll = () => {
    const element = box.current!;
    if (element.scrollTop === own.current) return;
    own.current = -1;
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= kAtEnd;
    if (isAtEnd !== follows) setFollows(isAtEnd);
  };
  const load = async () => {
    setLoading(true);
    setFollows(false);
    const element = box.current!;
    const below = element.scrollHeight - element.scrollTop;
    await earlier?.();
    setLoading(false);
    // What the reader saw stays where it was.
    requestAnimationFrame(() => {
      element.scrollTop = element.scrollHeight - below;
    });
  };
  return (
    <div
      class={wraps ? 'log-box wraps' : 'log-box'}
      ref={box}
      onScroll={onScroll}
      tabIndex={0}
      role="region"
      aria-label={texts.tasks.log.heading}
    >
      {earlier && (
        <p class="log-gap">
          <button type="button" disabled={loading} onClick={() => void load()}>
            {texts.tasks.log.earlier}
          </button>
        </p>
      )}
      {log.blocks.map((block) => (
        <Block
          key={block.key}
          block={block}
          query={query}
          current={current?.block === block.key ? current.index : -1}
        />
      ))}
      {log.rest !== '' && <pre>{readable(log.rest)}</pre>}
      {log.whole && <p class="log-gap">{texts.tasks.log.whole}</p>}
    </div>
  );
}

interface BlockProps {
  block: LogBlock;
  query: string;
  /** The match among those of the block that the reader stands at. */
  current: number;
}

function BlockLines({ block, query, current }: BlockProps) {
  const { gap, lines } = block;
  const { log: text } = texts.tasks;
  if (gap)
    return (
      <p class="log-gap">
        {gap.kind === 'skipped' ? text.skipped(memory(gap.bytes)) : text.leftOut(memory(gap.bytes))}
      </p>
    );
  if (query === '') return <pre>{lines.join('\n')}</pre>;
  return <pre>{marked(lines, query, current)}</pre>;
}

const Block = memo(BlockLines);

function marked(lines: readonly string[], query: string, current: number) {
  let index = 0;
  return lines.flatMap((line, at) => {
    const end = at + 1 < lines.length ? '\n' : '';
    const places = placesOf(line, query);
    let from = 0;
    const parts = places.flatMap((place) => {
      const before = line.slice(from, place);
      from = place + query.length;
      const isCurrent = index++ === current;
      return [before, <mark class={isCurrent ? 'current' : undefined}>{line.slice(place, from)}</mark>];
    });
    return [...parts, line.slice(from) + end];
  });
}
