import { useState } from 'preact/hooks';
import { percentText } from '../../../text/units.ts';
import { ApiProblem } from '../../api/problem.ts';
import type { Batch } from '../../api/tasks.ts';
import { hashOfGpu, hashOfList, hashOfTasks } from '../../place.ts';
import type { Service } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useLoad } from '../../state/use_load.ts';
import { useListVersion } from '../../state/use_task.ts';
import { moment } from '../../text/format.ts';
import { texts } from '../../text/texts.ts';
import { LoadState, Problem } from '../loading.tsx';
import { Meter } from '../meter.tsx';
import { PlainTable } from '../plain_table.tsx';
import { overCount, Progress } from './batches_view.tsx';
import { CancelButton } from './cancel_button.tsx';
import { gpuName, namesOf } from './task_columns.ts';

/** One batch: how far it is, and how it was split. */
export function BatchPage({ service, id }: { service: Service; id: number }) {
  const [own, setOwn] = useState(0);
  const version = useListVersion(service) + own;
  const loaded = useLoad(service, String(id), version, () => service.client.tasks.batch(id));
  const { batches: text } = texts.tasks;
  const isMissing = loaded.error instanceof ApiProblem && loaded.error.status === 404;
  return (
    <article class="batch-page">
      <p>
        <a href={hashOfTasks('batches')}>← {text.back}</a>
      </p>
      {isMissing ? <Problem of={text.missing(id)} /> : <LoadState of={loaded} />}
      {loaded.value && !isMissing ? (
        <Content service={service} batch={loaded.value} changed={() => setOwn(own + 1)} />
      ) : null}
    </article>
  );
}

function Content({ service, batch, changed }: { service: Service; batch: Batch; changed: () => void }) {
  const { batches: text, facts } = texts.tasks;
  return (
    <>
      <div class="task-head">
        <h2>
          {text.batch(batch.id)} {batch.name && <bdi>{batch.name}</bdi>}
        </h2>
        <span class="muted">
          <bdi>{facts.byWhom(moment(batch.submitted), batch.submitted_by)}</bdi>
        </span>
        <CancelButton
          service={service}
          by={batch.submitted_by}
          title={text.cancel}
          heading={text.cancelHeading(batch.id)}
          what={batch.name ?? text.batch(batch.id)}
          disabled={overCount(batch) === batch.tasks.length}
          cancel={() => service.client.tasks.cancelBatch(batch.id)}
          done={changed}
        />
      </div>
      <p class="batch-progress">
        <Progress batch={batch} />
      </p>
      <p>
        <a href={hashOfList({ batch: String(batch.id) })}>{text.list}</a>
      </p>
      <Split service={service} batch={batch} />
    </>
  );
}

function Split({ service, batch }: { service: Service; batch: Batch }) {
  const host = useStore(service.host);
  const names = namesOf(host?.gpus ?? []);
  const { batches: text } = texts.tasks;
  const rows = Object.entries(batch.split);
  const all = rows.reduce((sum, [, count]) => sum + count, 0);
  return (
    <section aria-labelledby="split-heading">
      <h3 id="split-heading">{text.splitHeading}</h3>
      {rows.length === 0 && <p class="muted">{text.notSplit}</p>}
      {rows.length > 0 && (
        <PlainTable class="queue-gpus" heads={[texts.tasks.gpu, text.tasks, text.share]}>
          {rows.map(([uuid, count]) => (
            <tr key={uuid}>
              <th scope="row">
                <a href={hashOfGpu(uuid)}>
                  <code>{gpuName(names, uuid)}</code>
                </a>
              </th>
              <td>{count}</td>
              <td>
                {percentText((100 * count) / all)}
                <Meter value={count} most={all} />
              </td>
            </tr>
          ))}
        </PlainTable>
      )}
    </section>
  );
}
