import { useMemo } from 'preact/hooks';
import type { Kernels } from '../data/format.ts';
import type { Profile } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';
import { DataTable, type DataColumn } from '../tables/data_table.tsx';
import { kCategories } from '../theme/colours.ts';
import { sumOf } from './thin.ts';

/** Names of kernels as they are shown; a name that is not in it is shown itself. */
export type ShownNames = ReadonlyMap<string, string>;

/** Columns of the table of kernels; those in which nothing is known are left out. */
export function kernelColumns(kernels: Kernels, shown: ShownNames): DataColumn[] {
  const whole = sumOf(kernels.total_ns);
  const share = kernels.total_ns.map((ns) => (ns === null || whole === 0 ? null : (100 * ns) / whole));
  const columns: DataColumn[] = [
    { name: 'Kernel', unit: 'none', values: kernels.name, shown },
    { name: 'Kind', unit: 'none', values: kernels.category.map((category) => kCategories[category].title) },
    { name: 'Launches', unit: 'none', values: kernels.count },
    { name: 'Time', unit: 'ns', values: kernels.total_ns },
    { name: 'Share', unit: '%', decimals: 1, values: share },
    { name: 'Average', unit: 'ns', values: kernels.average_ns },
    { name: 'Min', unit: 'ns', values: kernels.minimum_ns },
    { name: 'Max', unit: 'ns', values: kernels.maximum_ns },
    { name: 'Grid', unit: 'none', values: kernels.grid },
    { name: 'Block', unit: 'none', values: kernels.block },
    { name: 'Registers', unit: 'none', values: kernels.registers },
    { name: 'Shared memory', unit: 'bytes', values: kernels.shared_bytes },
    { name: 'Theoretical occupancy', unit: '%', decimals: 1, values: kernels.theoretical_occupancy_percent },
    ...counterColumns(kernels),
  ];
  return columns.filter(({ values }) => values.some((value) => value !== null));
}

function counterColumns({ counters }: Kernels): DataColumn[] {
  if (!counters) return [];
  return [
    { name: 'Occupancy', unit: '%', decimals: 1, values: counters.occupancy_percent },
    { name: 'Compute', unit: '%', decimals: 1, values: counters.compute_percent },
    { name: 'Memory', unit: '%', decimals: 1, values: counters.memory_percent },
    { name: 'DRAM', unit: 'bytes', values: counters.dram_bytes },
    { name: 'L2', unit: 'bytes', values: counters.l2_bytes },
    { name: 'FLOP', unit: 'none', values: counters.flop },
    { name: 'Bound', unit: 'none', values: counters.bound },
  ];
}

/** Goes to the longest launch of a row, where it is on the timeline. */
export function showKernel(navigation: Navigation, profile: Profile, kernels: Kernels, row: number): void {
  const start_ns = kernels.longest_start_ns[row] ?? null;
  const end_ns = kernels.longest_end_ns[row] ?? null;
  if (start_ns === null || end_ns === null) return;
  navigation.showOnTimeline({ profile: profile.index, start_ns, end_ns, what: kernels.name[row] });
}

export function KernelTable(props: { profile: Profile; kernels: Kernels; names: ShownNames; navigation: Navigation }) {
  const { profile, kernels, names, navigation } = props;
  const columns = useMemo(() => kernelColumns(kernels, names), [kernels, names]);
  const placed = kernels.longest_start_ns.some((ns) => ns !== null);
  return (
    <DataTable
      caption="Kernels by name and launch shape"
      columns={columns}
      sort={{
        column: Math.max(
          0,
          columns.findIndex((column) => column.name === 'Time'),
        ),
        descending: true,
      }}
      {...(placed
        ? {
            onRow: (row: number) => showKernel(navigation, profile, kernels, row),
            rowAction: 'Show the longest launch on the timeline',
          }
        : {})}
    />
  );
}
