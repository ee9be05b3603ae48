import type { ComponentChildren } from 'preact';
import { kAbsent } from '../../../text/units.ts';
import type { Task } from '../../api/tasks.ts';
import { hashOfBatch, hashOfList } from '../../place.ts';
import { duration, memory, moment } from '../../text/format.ts';
import { texts } from '../../text/texts.ts';
import { commandText } from '../../text/words.ts';
import { PlainTable } from '../plain_table.tsx';
import { TaskLinks } from './queue_gpus.tsx';

/** What was submitted. */
export function TaskFacts({ task }: { task: Task }) {
  const { facts: text } = texts.tasks;
  return (
    <section aria-labelledby="facts-heading">
      <h3 id="facts-heading">{text.heading}</h3>
      <PlainTable class="wrap task-facts">
        <Program task={task} />
        <Fact title={text.type}>
          <a href={hashOfList({ type: task.type })}>
            <bdi>{task.type}</bdi>
          </a>
        </Fact>
        <Fact title={text.by}>
          <bdi>{text.byWhom(moment(task.submitted), task.submitted_by)}</bdi>
        </Fact>
        <Fact title={text.priority}>
          <bdi>{task.priority}</bdi>
        </Fact>
        <Fact title={text.gpus}>{task.gpus}</Fact>
        <Fact title={text.memory}>{memory(task.memory_bytes)}</Fact>
        <Fact title={text.timeLimit}>{duration(task.time_limit_seconds)}</Fact>
        <Fact title={text.strategy}>
          <bdi>{task.strategy ?? text.defaultStrategy}</bdi>
        </Fact>
        {task.after.length > 0 && (
          <Fact title={text.after}>
            <TaskLinks ids={task.after} />
          </Fact>
        )}
        {task.batch !== null && (
          <Fact title={text.batch}>
            <a href={hashOfBatch(task.batch)}>{task.batch}</a>
          </Fact>
        )}
        <Fact title={text.retries}>{task.retries}</Fact>
        <Fact title={text.waited}>{duration(task.wait_seconds)}</Fact>
        <Fact title={text.ran}>{duration(task.run_seconds)}</Fact>
        <Fact title={text.profile}>
          {task.profile === null ? text.asType : task.profile ? texts.detail.yes : texts.detail.no}
        </Fact>
      </PlainTable>
    </section>
  );
}

function Program({ task }: { task: Task }) {
  const { facts: text } = texts.tasks;
  return (
    <>
      {task.command && (
        <Fact title={text.command}>
          <code>
            <bdi>{commandText(task.command)}</bdi>
          </code>
          {task.arguments_hidden && <span class="muted"> ({text.hidden})</span>}
        </Fact>
      )}
      {task.inference && (
        <Fact title={text.inference}>
          <bdi>{task.inference.model}</bdi>
          {task.inference.version && <bdi>, {text.version(task.inference.version)}</bdi>}
        </Fact>
      )}
      {task.working_directory && (
        <Fact title={text.folder}>
          <code>
            <bdi>{task.working_directory}</bdi>
          </code>
        </Fact>
      )}
    </>
  );
}

export function Fact({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <tr>
      <th scope="row">{title}</th>
      <td>{children ?? kAbsent}</td>
    </tr>
  );
}
