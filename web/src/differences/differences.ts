import type { Diagnosis, DifferenceCause, DifferenceRow, Differences, Finding } from '../data/format.ts';
import { shortKernelNames } from '../text/kernel_names.ts';
import { percentText, timeText } from '../text/units.ts';
import type { DataColumn } from '../tables/cells.ts';

/** "A mean step takes 12.3 ms instead of 10.4 ms: 1.90 ms (18.3 %) longer." */
export function changeSentence({ per, part, base_ns, new_ns }: Differences): string {
  const what = per === 'step' ? 'A mean step' : part === 'gpu_work' ? 'All GPU work' : 'The run';
  const change = new_ns - base_ns;
  const percent = base_ns > 0 ? ` (${percentText((100 * Math.abs(change)) / base_ns)})` : '';
  if (change === 0) return `${what} takes ${timeText(new_ns)}, as long as before.`;
  const way = change > 0 ? 'longer' : 'shorter';
  return `${what} takes ${timeText(new_ns)} instead of ${timeText(base_ns)}: ${timeText(Math.abs(change))}${percent} ${way}.`;
}

/** What changed it and by how much: "+1.90 ms", "... is slower in ...". */
export const causeLines = (causes: readonly DifferenceCause[]): { change: string; says: string }[] =>
  causes.map(({ change_ns, says }) => ({ change: signedTimeText(change_ns), says }));

/** "+1.90 ms": a time with its sign. */
export const signedTimeText = (ns: number): string => `${ns > 0 ? '+' : ''}${timeText(ns)}`;

/** What is not on a side takes no time there. */
export const changeOf = (row: DifferenceRow): number => (row.new_ns ?? 0) - (row.base_ns ?? 0);

const percentOf = (row: DifferenceRow): number | null => (row.base_ns ? (100 * changeOf(row)) / row.base_ns : null);

/** Columns for a table of differences; `name` says what the rows are. Names of kernels are shown short. */
export function differenceColumns(name: string, rows: readonly DifferenceRow[], ofKernels = false): DataColumn[] {
  const names = rows.map((row) => row.name);
  const column = (title: string, of: (row: DifferenceRow) => number | null): DataColumn => ({
    name: title,
    unit: 'ns',
    values: rows.map(of),
  });
  return [
    { ...column('Change (ns)', changeOf), bar: 'diverging' },
    { name: 'Change (%)', unit: '%', decimals: 1, bar: 'none', values: rows.map(percentOf) },
    column('Base (ns)', (row) => row.base_ns),
    column('New (ns)', (row) => row.new_ns),
    { name: 'Base count', unit: 'none', values: rows.map((row) => row.base_count) },
    { name: 'New count', unit: 'none', values: rows.map((row) => row.new_count) },
    { name, unit: 'none', values: names, ...(ofKernels ? { shown: shortKernelNames(names) } : {}) },
  ];
}

/** "+1.90 ms in total": what the rows add up to. */
export function sumText(rows: readonly DifferenceRow[]): string {
  const sum = rows.reduce((total, row) => total + changeOf(row), 0);
  return `${signedTimeText(sum)} in total`;
}

export type Pairs = Differences['findings'];

/** By id, the first with the first: what the document says too, before it is decoded. */
export function pairedById(base: readonly Finding[], next: readonly Finding[]): Pairs {
  const open = new Map<string, number[]>();
  next.forEach(({ id }, i) => open.set(id, [...(open.get(id) ?? []), i]));
  const pairs: Pairs = base.map(({ id }, i) => ({ id, base: i, new: open.get(id)?.shift() ?? null }));
  for (const [id, left] of open) for (const i of left) pairs.push({ id, base: null, new: i });
  return pairs;
}

export interface GroupedPairs {
  gone: Pairs;
  added: Pairs;
  both: Pairs;
}

export function groupedPairs(pairs: Pairs): GroupedPairs {
  const order = (side: 'base' | 'new') => (a: Pairs[0], b: Pairs[0]) => a[side]! - b[side]!;
  return {
    added: pairs.filter((pair) => pair.base === null && pair.new !== null).sort(order('new')),
    gone: pairs.filter((pair) => pair.new === null && pair.base !== null).sort(order('base')),
    both: pairs.filter((pair) => pair.new !== null && pair.base !== null).sort(order('new')),
  };
}

/** Both ceilings, with their shares of judged times that may differ: "55.2 ms (21.7 %) → 20.0 ms (7.20 %)" */
export function ceilingsText(base: Finding, next: Finding): string {
  if (!base.takes_time && !next.takes_time) return 'costs no time yet in both';
  const text = (finding: Finding): string =>
    finding.takes_time ? `${timeText(finding.ceiling_ns)} (${percentText(finding.ceiling_percent)})` : 'no time';
  return `${text(base)} → ${text(next)}`;
}

/** Where a side could not conclude what the other found: its silence says nothing. */
export function silentBecause(diagnosis: Diagnosis, id: string): string | null {
  const found = diagnosis.no_conclusion.find(({ rule }) => id === rule || id.startsWith(`${rule}_`));
  return found?.says ?? null;
}
