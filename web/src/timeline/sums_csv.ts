import { csvField } from '../text/csv.ts';
import { kCategories } from '../theme/colours.ts';
import type { AreaSums } from './area_sums.ts';
import { kKindTitles } from './kinds.ts';
import type { NameSum } from './selection_sums.ts';

const quoted = (value: string | number | null): string => csvField(value === null ? '' : String(value));

export const meanOf = (row: NameSum): number => row.total_ns / row.count;

/** Sums as CSV; times in ns. */
export function csvOf(sums: AreaSums, labels: readonly string[]): string {
  const head = 'Profile,Kind,Name,Category,Count,Total (ns),Mean (ns),Min (ns),Max (ns)';
  const lines = sums.sections.flatMap(({ profile, kind, rows }) =>
    rows.map((row) => [
      labels[profile] ?? '',
      kKindTitles[kind],
      row.name,
      kCategories[row.category].title,
      row.count,
      row.total_ns,
      Number(meanOf(row).toFixed(1)),
      row.minimum_ns,
      row.maximum_ns,
    ]),
  );
  return [head, ...lines.map((line) => line.map(quoted).join(','))].join('\n') + '\n';
}
