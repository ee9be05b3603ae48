import { kAbsent } from '../../../text/units.ts';
import type { Attempt, Task } from '../../api/tasks.ts';
import { hashOfGpu } from '../../place.ts';
import { duration, memory, moment, secondsOf } from '../../text/format.ts';
import { texts } from '../../text/texts.ts';
import { PlainTable } from '../plain_table.tsx';
import { gpuName, type GpuNames } from './task_columns.ts';

/** How an attempt ended, in words. */
export function endText(attempt: Attempt): string {
  const { attempts: text, causes } = texts.tasks;
  if (attempt.ended === null) return text.runs;
  const how = [
    attempt.cause === 'exit' ? '' : (causes[attempt.cause] ?? attempt.cause),
    attempt.exit_status === null ? '' : text.exit(attempt.exit_status),
    attempt.signal === null ? '' : text.signal(attempt.signal),
  ].filter((part) => part !== '');
  return how.join(', ') || kAbsent;
}

function tookOf({ started, ended }: Attempt): number | null {
  const [from, to] = [secondsOf(started), secondsOf(ended)];
  return from === null || to === null ? null : to - from;
}

export function AttemptsTable({ task, names }: { task: Task; names: GpuNames }) {
  const { attempts: text } = texts.tasks;
  const attempts = task.attempts ?? [];
  if (attempts.length === 0) return null;
  const heads = [text.number, text.gpus, text.started, text.took, text.end, text.reserved, text.peak];
  return (
    <section aria-labelledby="attempts-heading">
      <h3 id="attempts-heading">{text.heading}</h3>
      <PlainTable heads={heads} class="attempts" label={text.heading}>
        {attempts.map((attempt) => (
          <AttemptRow key={attempt.number} attempt={attempt} names={names} />
        ))}
      </PlainTable>
    </section>
  );
}

function AttemptRow({ attempt, names }: { attempt: Attempt; names: GpuNames }) {
  const { attempts: text } = texts.tasks;
  return (
    <tr>
      <th scope="row">{attempt.number}</th>
      <td class="task-links">
        {attempt.gpus.map((uuid) => (
          <a key={uuid} href={hashOfGpu(uuid)}>
            <code>{gpuName(names, uuid)}</code>
          </a>
        ))}
      </td>
      <td>{moment(attempt.started)}</td>
      <td>{duration(tookOf(attempt))}</td>
      <td class="attempt-end">
        {endText(attempt)}
        {attempt.message && (
          <>
            : <bdi>{attempt.message}</bdi>
          </>
        )}
        {attempt.recorded && <span class="badge">{text.recorded}</span>}
      </td>
      <td>
        {memory(attempt.reserved_bytes)}{' '}
        <span class="muted">({text.sources[attempt.memory_source] ?? attempt.memory_source})</span>
      </td>
      <td>{memory(attempt.peak_bytes)}</td>
    </tr>
  );
}
