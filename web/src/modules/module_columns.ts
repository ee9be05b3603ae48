import type { ModuleMeasured, Modules, TableUnit } from '../data/format.ts';
import type { DataColumn } from '../tables/data_table.tsx';
import { spreadOf } from './module_facts.ts';
import { hasGpuWork, pathTexts } from './module_tree.ts';

/** More ranks than this have no columns of their own: their least, mean and most stand for them. */
const kMostRankColumns = 16;

/** Columns of the table of modules, a row a module; those in which nothing was recorded are left out. */
export function moduleColumns(modules: Modules, ranks: readonly string[]): DataColumn[] {
  const { whole } = modules;
  const onGpu = hasGpuWork(modules);
  const gpu = (name: string, unit: TableUnit, values: DataColumn['values']): DataColumn[] =>
    onGpu ? [{ name, unit, values }] : [];
  const columns: DataColumn[] = [
    { name: 'Module', unit: 'none', values: pathTexts(modules) },
    { name: 'Calls', unit: 'none', values: modules.calls },
    ...gpu('GPU time', 'ns', modules.device_total_ns),
    ...gpu('GPU self', 'ns', modules.device_self_ns),
    {
      name: 'Share of GPU',
      unit: '%',
      decimals: 1,
      values: modules.device_total_ns.map((ns) => (whole.device_ns > 0 ? (100 * ns) / whole.device_ns : null)),
    },
    ...gpu('GPU idle', 'ns', modules.idle_ns),
    { name: 'Host', unit: 'ns', values: modules.host_ns },
    { name: 'Host self', unit: 'ns', values: modules.host_self_ns },
    ...gpu('Launches', 'none', modules.launches),
    ...gpu('Kernels', 'none', modules.kernels),
    ...gpu('Copies', 'none', modules.copies),
    ...gpu('Copied', 'bytes', modules.copy_bytes),
    { name: 'Memory peak', unit: 'bytes', values: modules.peak_bytes },
    ...rankColumns(modules, ranks),
    ...(modules.measured ? measuredColumns(modules.measured) : []),
  ];
  return columns.filter(({ values }, index) => index === 0 || values.some((value) => value !== null));
}

function rankColumns(modules: Modules, ranks: readonly string[]): DataColumn[] {
  const byRank = modules.device_by_rank_ns;
  if (!byRank || byRank.length < 2) return [];
  const spreads = modules.name.map((_, row) => spreadOf(modules, row)!);
  const columns: DataColumn[] = [
    { name: 'Rank min', unit: 'ns', values: spreads.map((spread) => spread.minimum) },
    { name: 'Rank mean', unit: 'ns', values: spreads.map((spread) => Math.round(spread.mean)) },
    { name: 'Rank max', unit: 'ns', values: spreads.map((spread) => spread.maximum) },
    { name: 'Max rank', unit: 'none', values: spreads.map((spread) => rankTitle(ranks, spread.slowest)) },
  ];
  if (byRank.length > kMostRankColumns) return columns;
  return [
    ...columns,
    ...byRank.map((values, rank): DataColumn => ({ name: `GPU time ${rankTitle(ranks, rank)}`, unit: 'ns', values })),
  ];
}

export const rankTitle = (ranks: readonly string[], rank: number): string => ranks[rank] || `rank ${rank}`;

const measuredColumns = (measured: ModuleMeasured): DataColumn[] => [
  { name: 'DRAM', unit: 'bytes', values: measured.dram_bytes },
  { name: 'L2', unit: 'bytes', values: measured.l2_bytes },
  { name: 'Intensity', unit: 'FLOP/byte', decimals: 2, values: measured.flop_per_byte },
  { name: 'Compute', unit: '%', decimals: 1, values: measured.compute_percent },
  { name: 'Memory', unit: '%', decimals: 1, values: measured.memory_percent },
  { name: 'Occupancy', unit: '%', decimals: 1, values: measured.occupancy_percent },
  { name: 'Bound', unit: 'none', values: measured.bound },
];
