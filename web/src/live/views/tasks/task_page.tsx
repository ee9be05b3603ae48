import { useState } from 'preact/hooks';
import { ApiProblem } from '../../api/problem.ts';
import type { Task } from '../../api/tasks.ts';
import { hashOfTasks } from '../../place.ts';
import { isOver } from '../../state/queue_state.ts';
import type { Service } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useLoad } from '../../state/use_load.ts';
import { useTaskVersion } from '../../state/use_task.ts';
import { texts } from '../../text/texts.ts';
import { LoadState, Problem } from '../loading.tsx';
import { AttemptsTable } from './attempts_table.tsx';
import { CancelButton } from './cancel_button.tsx';
import { ExplanationSection } from './explanation_section.tsx';
import { LogSection } from './log_section.tsx';
import { ProfilesSection } from './profiles_section.tsx';
import { TaskBadge } from './task_badge.tsx';
import { namesOf } from './task_columns.ts';
import { TaskFacts } from './task_facts.tsx';

/** All of one task: what it is, why it waits or went where it did, and what it printed. */
export function TaskPage({ service, id }: { service: Service; id: number }) {
  const [own, setOwn] = useState(0);
  const version = useTaskVersion(service, id) + own;
  const loaded = useLoad(service, String(id), version, () => service.client.tasks.task(id));
  const { tasks: text } = texts;
  const isMissing = loaded.error instanceof ApiProblem && loaded.error.status === 404;
  return (
    <article class="task-page">
      <p>
        <a href={hashOfTasks('queue')}>← {text.back}</a>
      </p>
      {isMissing ? <Problem of={text.missing(id)} /> : <LoadState of={loaded} />}
      {loaded.value && !isMissing ? (
        <Content service={service} task={loaded.value} version={version} changed={() => setOwn(own + 1)} />
      ) : null}
    </article>
  );
}

function Content(props: { service: Service; task: Task; version: number; changed: () => void }) {
  const { service, task, version } = props;
  const host = useStore(service.host);
  const names = namesOf(host?.gpus ?? []);
  return (
    <>
      <Head service={service} task={task} changed={props.changed} />
      {task.reason && (
        <p class={task.state === 'failed' ? 'task-reason is-critical' : 'task-reason'}>
          <bdi>{task.reason}</bdi>
        </p>
      )}
      <ExplanationSection service={service} task={task} version={version} names={names} />
      <LogSection service={service} task={task} />
      <AttemptsTable task={task} names={names} />
      <ProfilesSection service={service} task={task} version={version} />
      <TaskFacts task={task} />
    </>
  );
}

function Head({ service, task, changed }: { service: Service; task: Task; changed: () => void }) {
  const { tasks: text } = texts;
  const showsCause = task.state === 'failed' || task.state === 'cancelled';
  return (
    <div class="task-head">
      <h2>
        {text.task(task.id)} {task.name && <bdi>{task.name}</bdi>}
      </h2>
      <TaskBadge task={task} />
      {showsCause && <span class="muted">{text.causes[task.cause] ?? task.cause}</span>}
      <span class="muted">
        <bdi>{task.type}</bdi>
      </span>
      {!isOver(task) && (
        <CancelButton
          service={service}
          by={task.submitted_by}
          title={text.cancel}
          heading={text.cancelHeading(task.id)}
          what={task.name ?? task.type}
          disabled={task.cancelling}
          cancel={() => service.client.tasks.cancel(task.id)}
          done={changed}
        />
      )}
    </div>
  );
}
