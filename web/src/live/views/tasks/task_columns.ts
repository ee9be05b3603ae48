import type { DataColumn } from '../../../tables/cells.ts';
import { kAbsent } from '../../../text/units.ts';
import type { Task } from '../../api/tasks.ts';
import { gpusOf, lastAttempt } from '../../state/queue_state.ts';
import { moment, secondsOf } from '../../text/format.ts';
import { texts } from '../../text/texts.ts';
import { stateText } from './task_badge.tsx';

const kGiB = 2 ** 30;

type Of<T> = (task: Task, at: number) => T;

const words = (name: string, tasks: readonly Task[], of: Of<string | null>): DataColumn => ({
  name,
  unit: 'none',
  values: tasks.map((task, at) => of(task, at) || kAbsent),
});
const numbers = (name: string, tasks: readonly Task[], of: Of<number | null>, decimals?: number): DataColumn => ({
  name,
  unit: 'none',
  values: tasks.map(of),
  ...(decimals === undefined ? {} : { decimals }),
});

const inGiB = (bytes: number | null | undefined): number | null => (bytes == null ? null : bytes / kGiB);
const minutesOf = (seconds: number | null): number | null => (seconds === null ? null : seconds / 60);

/** Minutes from a moment to `now` (seconds since 1970, by the service's clock). */
function minutesSince(from: string | null | undefined, now: number): number | null {
  const start = secondsOf(from);
  return start === null ? null : Math.max(0, now - start) / 60;
}

/** "gpu_1" where the host tells, else the UUID. */
export type GpuNames = ReadonlyMap<string, string>;
export const namesOf = (gpus: readonly { uuid: string; id: string | null }[]): GpuNames =>
  new Map(gpus.map(({ uuid, id }) => [uuid, id ?? uuid]));
export const gpuName = (names: GpuNames, uuid: string): string => names.get(uuid) ?? uuid;

const gpusText = (task: Task, names: GpuNames): string =>
  gpusOf(task)
    .map((uuid) => gpuName(names, uuid))
    .join(', ');

const { columns: text } = texts.tasks;
const hasAny = (column: DataColumn): boolean => column.values.some((value) => value !== kAbsent && value !== null);

/** What no task has tells nothing. */
const told = (columns: readonly DataColumn[], always: readonly string[]): DataColumn[] =>
  columns.filter((column) => always.includes(column.name) || hasAny(column));

export function waitingColumns(tasks: readonly Task[], now: number): DataColumn[] {
  return told(
    [
      numbers(text.place, tasks, (_, at) => at + 1),
      words(text.id, tasks, ({ id }) => String(id)),
      words(text.name, tasks, ({ name }) => name),
      words(text.type, tasks, ({ type }) => type),
      words(text.priority, tasks, ({ priority }) => priority),
      numbers(text.waits, tasks, (task) => minutesSince(task.ready ?? task.submitted, now), 1),
      words(text.by, tasks, ({ submitted_by: by }) => by),
      numbers(text.gpus, tasks, ({ gpus }) => gpus),
      numbers(text.memory, tasks, ({ memory_bytes: bytes }) => inGiB(bytes), 1),
      words(text.batch, tasks, ({ batch }) => (batch ? String(batch) : null)),
    ],
    [text.name],
  );
}

export function runningColumns(tasks: readonly Task[], names: GpuNames, now: number): DataColumn[] {
  return told(
    [
      words(text.id, tasks, ({ id }) => String(id)),
      words(text.name, tasks, ({ name }) => name),
      words(text.type, tasks, ({ type }) => type),
      words(text.gpus, tasks, (task) => gpusText(task, names)),
      numbers(text.runs, tasks, (task) => minutesSince(lastAttempt(task)?.started ?? task.started, now), 1),
      numbers(text.reserved, tasks, (task) => inGiB(lastAttempt(task)?.reserved_bytes), 1),
      words(text.state, tasks, stateText),
      words(text.priority, tasks, ({ priority }) => priority),
      words(text.by, tasks, ({ submitted_by: by }) => by),
      numbers(text.attempt, tasks, (task) => lastAttempt(task)?.number ?? null),
      words(text.batch, tasks, ({ batch }) => (batch ? String(batch) : null)),
    ],
    [text.name],
  );
}

export function listColumns(tasks: readonly Task[], names: GpuNames): DataColumn[] {
  return told(
    [
      words(text.id, tasks, ({ id }) => String(id)),
      words(text.name, tasks, ({ name }) => name),
      words(text.type, tasks, ({ type }) => type),
      words(text.state, tasks, stateText),
      words(text.cause, tasks, ({ cause, state }) =>
        state === 'succeeded' ? null : (texts.tasks.causes[cause] ?? cause),
      ),
      words(text.submitted, tasks, ({ submitted }) => moment(submitted)),
      words(text.by, tasks, ({ submitted_by: by }) => by),
      words(text.gpus, tasks, (task) => gpusText(task, names)),
      numbers(text.waited, tasks, ({ wait_seconds: seconds }) => minutesOf(seconds), 1),
      numbers(text.ran, tasks, ({ run_seconds: seconds }) => minutesOf(seconds), 1),
      words(text.priority, tasks, ({ priority }) => priority),
      words(text.batch, tasks, ({ batch }) => (batch ? String(batch) : null)),
    ],
    [text.name, text.state],
  );
}
