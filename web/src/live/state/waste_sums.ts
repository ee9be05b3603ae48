import type { Waste, WasteEntry } from '../api/types.ts';

/** What is wasted of a day in one way by one user, over all GPUs. */
export interface WasteRow {
  day: string;
  kind: WasteEntry['kind'];
  user: string | null;
  container: string | null;
  gpus: number;
  hours: number;
  /** null where it is not known of any of them. */
  energy_kwh: number | null;
  money: number | null;
}

const add = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : a + b);

function sumOf(day: string, entries: readonly WasteEntry[]): WasteRow {
  const { kind, user, container } = entries[0]!;
  return {
    day,
    kind,
    user: user || null,
    container: container || null,
    gpus: new Set(entries.map(({ gpu_uuid }) => gpu_uuid)).size,
    hours: entries.reduce((sum, { hours }) => sum + hours, 0),
    energy_kwh: entries.reduce<number | null>((sum, entry) => add(sum, entry.energy_kwh), null),
    money: entries.reduce<number | null>((sum, entry) => add(sum, entry.money), null),
  };
}

function groups<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = found.get(key);
    if (group) group.push(item);
    else found.set(key, [item]);
  }
  return [...found.values()];
}

/** By day, kind, user and container: the newest day first, then the most hours. */
export function wasteRows({ days }: Waste): WasteRow[] {
  return days
    .flatMap(({ day, entries }) =>
      groups(entries, ({ kind, user, container }) => JSON.stringify([kind, user || null, container || null])).map(
        (group) => sumOf(day, group),
      ),
    )
    .sort((a, b) => b.day.localeCompare(a.day) || b.hours - a.hours);
}

/** Over all days, a row a kind, the most hours first. */
export function wasteByKind({ days }: Waste): WasteRow[] {
  return groups(
    days.flatMap(({ entries }) => entries),
    ({ kind }) => kind,
  )
    .map((group) => sumOf('', group))
    .sort((a, b) => b.hours - a.hours);
}
