import { memo } from '../../../tables/memo.ts';
import type { GpuSlots, Queue, Task } from '../../api/tasks.ts';
import { hashOfGpu, hashOfTask } from '../../place.ts';
import { gpusOf } from '../../state/queue_state.ts';
import type { Service } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { numberOf, usedOf } from '../../text/format.ts';
import { texts } from '../../text/texts.ts';
import { Meter } from '../meter.tsx';
import { PlainTable } from '../plain_table.tsx';

/** Numbers of tasks of one GPU that are named. */
const kMostNamed = 10;

export const tasksOn = (queue: Queue, uuid: string): Task[] =>
  queue.running.filter((task) => gpusOf(task).includes(uuid));

/** Slots and memory of each GPU as tasks take them. */
export function QueueGpus({ service, queue }: { service: Service; queue: Queue }) {
  const host = useStore(service.host);
  const { tasks: text } = texts;
  if (queue.gpus.length === 0) return <p class="muted">{text.noGpus}</p>;
  const totals = new Map(host?.gpus.map(({ uuid, values }) => [uuid, numberOf(values['memory_total_bytes'])]));
  return (
    <>
      <h3>{text.gpus}</h3>
      <PlainTable class="queue-gpus" heads={[text.gpu, text.slots, text.reserved, text.tasksHere]}>
        {queue.gpus.map((gpu) => (
          <GpuRow
            key={gpu.uuid}
            gpu={gpu}
            total={totals.get(gpu.uuid) ?? null}
            tasks={tasksOn(queue, gpu.uuid)
              .map(({ id }) => id)
              .join(' ')}
          />
        ))}
      </PlainTable>
    </>
  );
}

function Row({ gpu, total, tasks }: { gpu: GpuSlots; total: number | null; tasks: string }) {
  return (
    <tr>
      <th scope="row">
        <a href={hashOfGpu(gpu.uuid)}>
          <code>{gpu.id ?? gpu.uuid}</code>
        </a>
      </th>
      <td>
        {texts.tasks.slotsOf(gpu.tasks, gpu.max_tasks)}
        <Meter value={gpu.tasks} most={gpu.max_tasks} />
      </td>
      <td>
        {usedOf(gpu.reserved_bytes, total)}
        <Meter value={gpu.reserved_bytes} most={total} />
      </td>
      <td>
        <TaskLinks ids={tasks === '' ? [] : tasks.split(' ').map(Number)} />
      </td>
    </tr>
  );
}

const GpuRow = memo(Row);

/** Links to tasks; the first of many. */
export function TaskLinks({ ids }: { ids: readonly number[] }) {
  return (
    <span class="task-links">
      {ids.slice(0, kMostNamed).map((id) => (
        <a key={id} href={hashOfTask(id)}>
          {id}
        </a>
      ))}
      {ids.length > kMostNamed && <span class="muted">… {ids.length - kMostNamed}</span>}
    </span>
  );
}
