import { useState } from 'preact/hooks';
import { Select } from '../../../charts/chart_frame.tsx';
import { copyText } from '../../../text/clipboard.ts';
import type { LogStream, Task } from '../../api/tasks.ts';
import { ApiProblem } from '../../api/problem.ts';
import { lastAttempt } from '../../state/queue_state.ts';
import type { Service } from '../../state/service.ts';
import { useLog, type LogOf } from '../../state/use_log.ts';
import { problemText } from '../../text/problem_text.ts';
import { texts } from '../../text/texts.ts';
import { choicesOf } from '../gpus_view.tsx';
import { Problem } from '../loading.tsx';
import { LogLines } from './log_lines.tsx';
import { useLogSearch } from './log_search.ts';

/** What a task printed, of one attempt and stream. */
export function LogSection({ service, task }: { service: Service; task: Task }) {
  const last = lastAttempt(task)?.number ?? null;
  const [stream, setStream] = useState<LogStream>('stdout');
  const [chosen, setChosen] = useState<number | null>(null);
  const { log: text } = texts.tasks;
  const attempt = chosen ?? last;
  const attempts = (task.attempts ?? []).map(({ number }) => ({ key: String(number), title: text.attemptOf(number) }));
  return (
    <section aria-labelledby="log-heading" class="log">
      <div class="tools">
        <h3 id="log-heading">{text.heading}</h3>
        <Select
          label={text.stream}
          choices={choicesOf(text.streams)}
          value={stream}
          onChoose={(key) => setStream(key as LogStream)}
        />
        {attempts.length > 1 && (
          <Select
            label={text.attempt}
            choices={attempts}
            value={String(attempt)}
            onChoose={(key) => setChosen(Number(key) === last ? null : Number(key))}
          />
        )}
      </div>
      {attempt === null ? (
        <p class="muted">{text.notYet}</p>
      ) : (
        <Log
          key={`${stream} ${attempt}`}
          service={service}
          of={{ task: task.id, stream, attempt }}
          canGoOn={task.attempts?.find(({ number }) => number === attempt)?.ended === null}
        />
      )}
    </section>
  );
}

function Log({ service, of, canGoOn }: { service: Service; of: LogOf; canGoOn: boolean }) {
  const { text: log, error, isLoading, earlier } = useLog(service, of);
  const [wraps, setWraps] = useState(true);
  const [follows, setFollows] = useState(true);
  const search = useLogSearch(log);
  const { log: text } = texts.tasks;
  const isEmpty = log.blocks.length === 0 && log.rest === '';
  const copy = () => void copyText([...log.blocks.flatMap(({ lines }) => lines), log.rest].join('\n'));
  const isGone = error instanceof ApiProblem && error.status === 404;
  const step = (by: number) => {
    setFollows(false);
    search.step(by);
  };
  return (
    <>
      <div class="tools log-tools">
        <LogSearch search={search} step={step} />
        <Toggle on={wraps} set={setWraps} title={text.wrap} />
        <Toggle on={follows} set={setFollows} title={text.follow} />
        <button type="button" onClick={copy} disabled={isEmpty}>
          {text.copy}
        </button>
      </div>
      <Problem of={isGone ? text.gone : error ? text.trouble(problemText(error)) : null} />
      {isLoading && !error && <p class="waiting">{texts.loading}</p>}
      {!isLoading && isEmpty && <p class="muted">{canGoOn && !log.whole ? text.emptyYet : text.empty}</p>}
      {!isEmpty && (
        <LogLines
          log={log}
          wraps={wraps}
          follows={follows}
          setFollows={setFollows}
          query={search.query}
          current={search.current}
          earlier={log.from > 0 ? earlier : null}
        />
      )}
    </>
  );
}

function Toggle({ on, set, title }: { on: boolean; set: (on: boolean) => void; title: string }) {
  return (
    <button type="button" aria-pressed={on} onClick={() => set(!on)}>
      {title}
    </button>
  );
}

function LogSearch({ search, step }: { search: ReturnType<typeof useLogSearch>; step: (by: number) => void }) {
  const { log: text } = texts.tasks;
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  };
  return (
    <span class="log-search">
      <input
        type="search"
        placeholder={text.search}
        aria-label={text.search}
        value={search.query}
        onInput={(event) => search.setQuery(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <span class="muted" role="status">
        {search.said}
      </span>
      {search.query !== '' && (
        <>
          <button type="button" aria-label={text.previous} title={text.previous} onClick={() => step(-1)}>
            ↑
          </button>
          <button type="button" aria-label={text.next} title={text.next} onClick={() => step(1)}>
            ↓
          </button>
        </>
      )}
    </span>
  );
}
