import type { DataColumn } from '../../tables/cells.ts';
import type { Gpu, GpuProcess } from '../api/types.ts';
import { kAbsent } from '../../text/units.ts';
import { moment } from '../text/format.ts';
import { texts } from '../text/texts.ts';

interface Row {
  gpu: Gpu;
  process: GpuProcess;
}

const textOf = (value: string | null): string => value || kAbsent;

/** Binary, as memory is counted elsewhere on the page. */
const inGiB = (bytes: number | null): number | null => (bytes === null ? null : bytes / 2 ** 30);

/** A row a process, dead ones first, then those with the most memory. */
export function processColumns(gpus: readonly Gpu[]): { rows: Row[]; columns: DataColumn[]; dead: number } {
  const rows = gpus
    .flatMap((gpu) => (gpu.processes ?? []).map((process) => ({ gpu, process })))
    .sort(
      (a, b) =>
        Number(a.process.alive) - Number(b.process.alive) ||
        (b.process.memory_used_bytes ?? -1) - (a.process.memory_used_bytes ?? -1),
    );
  const { processes: text } = texts;
  const column = (name: string, value: (row: Row) => string): DataColumn => ({
    name,
    unit: 'none',
    values: rows.map(value),
  });
  const dead = rows.filter(({ process }) => !process.alive).length;
  const columns: DataColumn[] = [
    column(text.gpu, ({ gpu }) => gpu.id),
    { name: text.pid, unit: 'none', values: rows.map(({ process }) => process.pid) },
    column(text.user, ({ process }) => textOf(process.user)),
    column(text.name, ({ process }) => textOf(process.name)),
    {
      name: text.memory,
      unit: 'none',
      decimals: 1,
      values: rows.map(({ process }) => inGiB(process.memory_used_bytes)),
    },
    column(text.state, ({ process }) => (process.alive ? text.alive : text.dead)),
    column(text.container, ({ process }) => textOf(process.container)),
    column(text.pod, ({ process }) => textOf(process.pod)),
    column(text.unit, ({ process }) => textOf(process.unit)),
    column(text.kind, ({ process }) => process.kind),
    column(text.started, ({ process }) => moment(process.started)),
    column(text.command, ({ process }) => textOf(process.command)),
  ];
  // What no process has tells nothing.
  const told = columns.filter(
    ({ name, values }) => name === text.name || name === text.user || values.some((value) => value !== kAbsent),
  );
  return { rows, columns: told, dead };
}
