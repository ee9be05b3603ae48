import type { Batch, TaskState } from '../../api/tasks.ts';
import { hashOfBatch } from '../../place.ts';
import { kOver } from '../../state/queue_state.ts';
import type { Service } from '../../state/service.ts';
import { usePages } from '../../state/use_pages.ts';
import { useListVersion } from '../../state/use_task.ts';
import { useStore } from '../../state/store.ts';
import { moment } from '../../text/format.ts';
import { texts } from '../../text/texts.ts';
import { kAbsent } from '../../../text/units.ts';
import { Problem } from '../loading.tsx';
import { Meter } from '../meter.tsx';
import { PlainTable } from '../plain_table.tsx';
import { gpuName, namesOf, type GpuNames } from './task_columns.ts';

/** Batches, newest first. */
export function BatchesView({ service }: { service: Service }) {
  const version = useListVersion(service);
  const host = useStore(service.host);
  const pages = usePages(
    service,
    'batches',
    version,
    async (before) => {
      const { batches, next_before: next } = await service.client.tasks.batches(before);
      return { items: batches, next };
    },
    (a: Batch, b: Batch) => b.id - a.id,
  );
  const { batches: text } = texts.tasks;
  const names = namesOf(host?.gpus ?? []);
  return (
    <section aria-labelledby="batches-heading">
      <h2 id="batches-heading">{text.heading}</h2>
      <Problem of={pages.error} />
      {pages.isLoading && <p class="waiting">{texts.loading}</p>}
      {!pages.isLoading && pages.items.length === 0 && !pages.error ? <p>{text.none}</p> : null}
      {pages.items.length > 0 && (
        <PlainTable class="wrap batches" heads={['#', text.name, text.progress, text.split, text.submitted, text.by]}>
          {pages.items.map((batch) => (
            <BatchRow key={batch.id} batch={batch} names={names} />
          ))}
        </PlainTable>
      )}
      {pages.hasMore && (
        <button type="button" onClick={() => void pages.more()}>
          {texts.tasks.older}
        </button>
      )}
    </section>
  );
}

function BatchRow({ batch, names }: { batch: Batch; names: GpuNames }) {
  return (
    <tr>
      <th scope="row">
        <a href={hashOfBatch(batch.id)} data-stop>
          {batch.id}
        </a>
      </th>
      <td>
        <bdi>{batch.name ?? kAbsent}</bdi>
      </td>
      <td>
        <Progress batch={batch} />
      </td>
      <td>{splitText(batch, names)}</td>
      <td class="moment">{moment(batch.submitted)}</td>
      <td>
        <bdi>{batch.submitted_by}</bdi>
      </td>
    </tr>
  );
}

export const overCount = ({ states }: Batch): number => kOver.reduce((sum, state) => sum + (states[state] ?? 0), 0);

/** "3 running, 12 waiting", the states that any of its tasks is in. */
export function statesText({ states }: Batch): string {
  const counts = Object.entries(states).filter(([, count]) => count > 0);
  return counts.map(([state, count]) => `${count} ${texts.tasks.states[state as TaskState] ?? state}`).join(', ');
}

export function Progress({ batch }: { batch: Batch }) {
  const over = overCount(batch);
  return (
    <>
      {texts.tasks.batches.done(over, batch.tasks.length)}
      <Meter value={over} most={batch.tasks.length} />
      <span class="muted">{statesText(batch)}</span>
    </>
  );
}

/** "gpu_0: 12, gpu_1: 8" */
export const splitText = ({ split }: Batch, names: GpuNames): string =>
  Object.entries(split)
    .map(([uuid, count]) => `${gpuName(names, uuid)}: ${count}`)
    .join(', ') || kAbsent;
