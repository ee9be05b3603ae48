import type { Task, TaskState } from '../../api/tasks.ts';
import { texts } from '../../text/texts.ts';

const kMarks: Partial<Record<TaskState, string>> = { running: 'ok', succeeded: 'ok', failed: 'critical' };

export const stateText = ({ state, cancelling }: Pick<Task, 'state' | 'cancelling'>): string =>
  cancelling && state === 'running' ? texts.tasks.cancelling : (texts.tasks.states[state] ?? state);

export function TaskBadge({ task }: { task: Task }) {
  const mark = task.cancelling && task.state === 'running' ? 'warning' : kMarks[task.state];
  return <span class={mark ? `badge is-${mark}` : 'badge'}>{stateText(task)}</span>;
}
