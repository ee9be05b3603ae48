import { useMemo } from 'preact/hooks';
import type { Steps } from '../data/format.ts';
import type { Profile } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';
import { DataTable, type DataColumn } from '../tables/data_table.tsx';
import { rankTitle, showStep } from './step_places.ts';
import type { RankSteps } from './steps.ts';

interface StepRow {
  rank: RankSteps;
  step: number;
}

/** A row a step of a rank. Busy and idle time are means of the rank's GPUs, as in the chart. */
export function stepTableColumns(
  rows: readonly StepRow[],
  warmUp: number,
  titles: readonly string[] | null,
): DataColumn[] {
  const of = (value: (row: StepRow) => number) => rows.map(value);
  const ranks: DataColumn[] = titles
    ? [{ name: 'Rank', unit: 'none', values: rows.map(({ rank }) => titles[rank.rank]!) }]
    : [];
  return [
    ...ranks,
    { name: 'Step', unit: 'none', values: of(({ step }) => warmUp + step) },
    { name: 'Start', unit: 'ns', values: of(({ rank, step }) => rank.steps.start_ns[step]!) },
    { name: 'Length', unit: 'ns', values: of(({ rank, step }) => rank.length_ns[step]!) },
    { name: 'GPU busy', unit: 'ns', values: of(({ rank, step }) => Math.round(rank.busy_ns[step]!)) },
    {
      name: 'GPU idle',
      unit: 'ns',
      values: of(({ rank, step }) => rank.length_ns[step]! - Math.round(rank.busy_ns[step]!)),
    },
    { name: 'Kernels', unit: 'none', values: of(({ rank, step }) => rank.steps.kernels[step]!) },
    { name: 'Launches', unit: 'none', values: of(({ rank, step }) => rank.steps.launches[step]!) },
    { name: 'Copied', unit: 'bytes', values: of(({ rank, step }) => rank.steps.copy_bytes[step]!) },
  ];
}

export function StepTable(props: {
  profile: Profile;
  data: Steps;
  ranks: readonly RankSteps[];
  navigation: Navigation;
}) {
  const { profile, data, ranks, navigation } = props;
  const rows = useMemo(
    () => ranks.flatMap((rank) => rank.length_ns.map((_, step): StepRow => ({ rank, step }))),
    [ranks],
  );
  const titles = ranks.length > 1 ? profile.document.timeline.ranks.map((_, rank) => rankTitle(profile, rank)) : null;
  const columns = useMemo(() => stepTableColumns(rows, data.warm_up, titles), [rows, data]);
  return (
    <DataTable
      caption="Steps"
      columns={columns}
      onRow={(row) => showStep(navigation, profile, data, rows[row]!.rank, rows[row]!.step)}
      rowAction="Show the step on the timeline"
      note={ranks.some((rank) => rank.gpus > 1) ? 'GPU busy and GPU idle are means of the GPUs of a rank.' : ''}
    />
  );
}
