import type { Modules } from '../data/format.ts';
import type { Fact } from '../charts/tooltip.tsx';
import { bytesText, countText, percentText, timeText } from '../text/units.ts';
import { sumOf } from '../charts/thin.ts';
import { hasGpuWork, kOutside, kRoot } from './module_tree.ts';

const share = (part: number, whole: number): string => (whole > 0 ? ` (${percentText((100 * part) / whole)})` : '');

/** All that is known of a module, of what belongs to none, or of all. */
export function factsOf(modules: Modules, row: number): Fact[] {
  if (row === kRoot || row === kOutside) return factsOfWhole(modules, row === kRoot ? modules.whole : modules.outside);
  const facts: Fact[] = [
    ['host time', timeText(modules.host_ns[row])],
    ['host self', timeText(modules.host_self_ns[row])],
    ['calls', countText(modules.calls[row])],
  ];
  if (hasGpuWork(modules)) facts.unshift(...gpuFactsOf(modules, row));
  if (modules.peak_bytes[row] !== null) facts.push(['memory peak', bytesText(modules.peak_bytes[row])]);
  if (modules.domain[row]) facts.push(['domain', modules.domain[row]!]);
  return [...facts, ...ranksOf(modules, row), ...measuredOf(modules, row)];
}

function gpuFactsOf(modules: Modules, row: number): Fact[] {
  const { whole } = modules;
  return [
    ['GPU time', timeText(modules.device_total_ns[row]) + share(modules.device_total_ns[row]!, whole.device_ns)],
    ['GPU self', timeText(modules.device_self_ns[row])],
    ['GPU idle', timeText(modules.idle_ns[row]) + share(modules.idle_ns[row]!, whole.idle_ns)],
    ['launches', countText(modules.launches[row])],
    ['kernels', countText(modules.kernels[row])],
    ['copies', `${countText(modules.copies[row])}, ${bytesText(modules.copy_bytes[row])}`],
  ];
}

function factsOfWhole(modules: Modules, sums: Modules['whole']): Fact[] {
  const { whole } = modules;
  if (!hasGpuWork(modules)) return [];
  return [
    ['GPU time', timeText(sums.device_ns) + share(sums.device_ns, whole.device_ns)],
    ['GPU idle', timeText(sums.idle_ns) + share(sums.idle_ns, whole.idle_ns)],
    ['launches', countText(sums.launches) + share(sums.launches, whole.launches)],
  ];
}

function ranksOf(modules: Modules, row: number): Fact[] {
  const spread = spreadOf(modules, row);
  if (!spread) return [];
  return [['by rank', `${timeText(spread.minimum)} to ${timeText(spread.maximum)}, mean ${timeText(spread.mean)}`]];
}

function measuredOf(modules: Modules, row: number): Fact[] {
  const measured = modules.measured;
  if (!measured) return [];
  const facts: [string, string | null][] = [
    ['DRAM', measured.dram_bytes[row] === null ? null : bytesText(measured.dram_bytes[row])],
    ['L2', measured.l2_bytes[row] === null ? null : bytesText(measured.l2_bytes[row])],
    ['occupancy', measured.occupancy_percent[row] === null ? null : percentText(measured.occupancy_percent[row])],
    [
      'intensity',
      measured.flop_per_byte[row] === null ? null : `${measured.flop_per_byte[row]!.toPrecision(3)} FLOP/B`,
    ],
    ['bound', measured.bound[row] ?? null],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== null);
}

export interface Spread {
  minimum: number;
  mean: number;
  maximum: number;
  /** The rank that has the most. */
  slowest: number;
}

/** Over the ranks; null for one rank. */
export function spreadOf(modules: Modules, row: number): Spread | null {
  const ranks = modules.device_by_rank_ns;
  if (!ranks || ranks.length < 2) return null;
  const values = ranks.map((column) => column[row]!);
  const maximum = Math.max(...values);
  return {
    minimum: Math.min(...values),
    mean: sumOf(values) / values.length,
    maximum,
    slowest: values.indexOf(maximum),
  };
}

/** A module that loses this part of its loss in one module inside is not shown beside that one. */
const kSameLoss = 0.9;

/**
 * Rows by what the ranks lose in them to the slowest one, the most first; none where ranks are alike. Where a module
 * inside has the loss, it stands for those around it.
 */
export function mostUneven(modules: Modules, most: number): number[] {
  const loss = modules.name.map((_, row) => {
    const spread = spreadOf(modules, row);
    return spread ? spread.maximum - spread.mean : 0;
  });
  const inside = new Float64Array(loss.length);
  modules.parent.forEach((parent, row) => {
    if (parent >= 0) inside[parent] = Math.max(inside[parent]!, loss[row]!);
  });
  return loss
    .map((_, row) => row)
    .filter((row) => loss[row]! > 0 && inside[row]! < kSameLoss * loss[row]!)
    .sort((a, b) => loss[b]! - loss[a]! || a - b)
    .slice(0, most);
}
