import { useMemo, useState } from 'preact/hooks';
import { DataTable } from '../../../tables/data_table.tsx';
import type { Queue, Task } from '../../api/tasks.ts';
import { hashOfTask } from '../../place.ts';
import type { Service } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useTicks } from '../../state/use_hidden.ts';
import { useQueue } from '../../state/use_task.ts';
import { duration, secondsOf } from '../../text/format.ts';
import { texts } from '../../text/texts.ts';
import { mayDo } from '../incident_list.tsx';
import { Problem } from '../loading.tsx';
import { ChangeOutcome, StrategyField, useConfigChange } from '../strategy_field.tsx';
import { QueueGpus } from './queue_gpus.tsx';
import { namesOf, runningColumns, waitingColumns } from './task_columns.ts';

/** ms; minutes with one digit behind the point change no more often. */
const kEvery = 5000;

/** Seconds since 1970 by the service's clock, as of its last answer and this computer's clock since. */
function useServiceNow(queue: Queue | null): number {
  const [, tick] = useState(0);
  useTicks(kEvery, () => tick((n) => n + 1));
  const begin = useMemo(
    () => ({ service: secondsOf(queue?.moment) ?? Date.now() / 1000, here: performance.now() / 1000 }),
    [queue?.moment],
  );
  const steps = Math.floor((performance.now() / 1000 - begin.here) / (kEvery / 1000));
  return begin.service + (steps * kEvery) / 1000;
}

export function QueueView({ service }: { service: Service }) {
  const queue = useQueue(service);
  const trouble = useStore(service.tasks.trouble);
  const now = useServiceNow(queue);
  const { tasks: text } = texts;
  return (
    <section aria-labelledby="queue-heading">
      <div class="tools">
        <h2 id="queue-heading">{text.queue}</h2>
        {queue && (
          <span class="muted" role="status">
            {text.counts(queue.length, queue.max_length, queue.by_state['running'] ?? queue.running.length)}
          </span>
        )}
      </div>
      <Problem of={trouble} />
      {!queue && !trouble ? <p class="waiting">{texts.loading}</p> : null}
      {queue && (
        <>
          <QueueState queue={queue} now={now} />
          <Strategy service={service} queue={queue} />
          <QueueGpus service={service} queue={queue} />
          <Running queue={queue} now={now} />
          <Waiting queue={queue} now={now} />
        </>
      )}
    </section>
  );
}

/** What keeps tasks from being taken in, and what the numbers do not say. */
function QueueState({ queue, now }: { queue: Queue; now: number }) {
  const { tasks: text } = texts;
  const oldest = secondsOf(queue.oldest_ready);
  const blocked = queue.by_state['blocked'] ?? 0;
  const facts = [
    ...(oldest === null ? [] : [text.oldest(duration(now - oldest))]),
    ...(blocked > 0 ? [text.blocked(blocked)] : []),
  ];
  return (
    <>
      {queue.trouble && (
        <p class="banner" role="alert">
          <bdi>{text.trouble(queue.trouble.replace(/\.$/, ''))}</bdi>
        </p>
      )}
      {queue.length >= queue.max_length && (
        <p class="banner" role="alert">
          {text.full(queue.max_length, text.fullHint)}
        </p>
      )}
      {facts.length > 0 && <p class="muted">{facts.join(', ')}</p>}
    </>
  );
}

function Strategy({ service, queue }: { service: Service; queue: Queue }) {
  const change = useConfigChange(service, () => service.tasks.reread());
  if (!mayDo(service.caller.role, 'admin'))
    return (
      <p>
        <bdi>{texts.tasks.strategyNow(queue.strategy)}</bdi>
      </p>
    );
  return (
    <div class="queue-strategy">
      <StrategyField service={service} strategies={queue.strategies} now={queue.strategy} change={change} />
      <ChangeOutcome change={change} />
    </div>
  );
}

const open = (tasks: readonly Task[]) => (row: number) => {
  location.hash = hashOfTask(tasks[row]!.id);
};

function Running({ queue, now }: { queue: Queue; now: number }) {
  const { running, gpus } = queue;
  const columns = useMemo(() => runningColumns(running, namesOf(gpus), now), [running, now]);
  if (running.length === 0) return <Empty heading={texts.tasks.running} says={texts.tasks.noneRunning} />;
  return (
    <DataTable
      caption={texts.tasks.running}
      columns={columns}
      onRow={open(running)}
      rowAction={texts.tasks.open}
      total={Math.max(running.length, queue.by_state['running'] ?? 0)}
    />
  );
}

function Waiting({ queue, now }: { queue: Queue; now: number }) {
  const { waiting } = queue;
  const columns = useMemo(() => waitingColumns(waiting, now), [waiting, now]);
  if (waiting.length === 0) return <Empty heading={texts.tasks.waiting} says={texts.tasks.noneWaiting} />;
  return (
    <DataTable
      caption={texts.tasks.waiting}
      columns={columns}
      onRow={open(waiting)}
      rowAction={texts.tasks.open}
      total={Math.max(waiting.length, queue.by_state['waiting'] ?? 0)}
    />
  );
}

function Empty({ heading, says }: { heading: string; says: string }) {
  return (
    <>
      <h3>{heading}</h3>
      <p class="muted">{says}</p>
    </>
  );
}
