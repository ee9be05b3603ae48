import type { Gpu } from '../api/types.ts';
import { hashOfPart, hashOfTask } from '../place.ts';
import { lastAttempt } from '../state/queue_state.ts';
import type { Service } from '../state/service.ts';
import { useQueue } from '../state/use_task.ts';
import { memory, moment } from '../text/format.ts';
import { texts } from '../text/texts.ts';
import { PlainTable } from './plain_table.tsx';
import { tasksOn } from './tasks/queue_gpus.tsx';

/** How many tasks have the GPU, and what is kept for them: "2 tasks, 24 GiB kept". */
export function GpuTasksLink({ tasks, reserved }: { tasks: number; reserved: number }) {
  const { tasks: text } = texts;
  const words = tasks > 0 ? `${text.onGpu(tasks)}, ${text.onGpuKept(memory(reserved))}` : text.onGpu(0);
  return <a href={hashOfPart('tasks')}>{words}</a>;
}

/** The tasks that have the GPU now. */
export function GpuTasks({ service, gpu }: { service: Service; gpu: Gpu }) {
  const queue = useQueue(service);
  const slots = queue?.gpus.find(({ uuid }) => uuid === gpu.uuid);
  if (!queue || !slots) return null;
  const tasks = tasksOn(queue, gpu.uuid);
  const { tasks: text } = texts;
  return (
    <section aria-labelledby="gpu-tasks">
      <h3 id="gpu-tasks">{text.ofGpu}</h3>
      <p class="muted">
        {text.slots}: {text.slotsOf(slots.tasks, slots.max_tasks)}. {text.reserved}: {memory(slots.reserved_bytes)}.
      </p>
      {tasks.length > 0 && (
        <PlainTable
          heads={[text.columns.id, text.columns.name, text.columns.type, text.attempts.started, text.attempts.reserved]}
        >
          {tasks.map((task) => (
            <tr key={task.id}>
              <th scope="row">
                <a href={hashOfTask(task.id)}>{task.id}</a>
              </th>
              <td>
                <bdi>{task.name}</bdi>
              </td>
              <td>
                <bdi>{task.type}</bdi>
              </td>
              <td>{moment(lastAttempt(task)?.started)}</td>
              <td>{memory(lastAttempt(task)?.reserved_bytes)}</td>
            </tr>
          ))}
        </PlainTable>
      )}
    </section>
  );
}
