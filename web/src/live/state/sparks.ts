import type { History, Samples } from '../api/types.ts';
import { secondsOf } from '../text/format.ts';

/** Recent values of a GPU for its small pictures. Arrays are as long as each other; null where nothing was measured. */
export interface Spark {
  /** Seconds since 1970, ascending. */
  at: readonly number[];
  utilization: readonly (number | null)[];
  memory: readonly (number | null)[];
  temperature: readonly (number | null)[];
  /** Milliwatts. */
  power: readonly (number | null)[];
}

export type SparkValue = Exclude<keyof Spark, 'at'>;

export const kSparkSeconds = 900;
/** More points than pixels tell nothing. */
const kLeastStep = 5;

export const kSparkHistory: Record<SparkValue, string> = {
  utilization: 'gpu_utilization_percent',
  memory: 'memory_used_bytes',
  temperature: 'temperature_celsius',
  power: 'power_draw_milliwatts',
};
const kValues = Object.keys(kSparkHistory) as SparkValue[];

export const kNoSpark: Spark = { at: [], utilization: [], memory: [], temperature: [], power: [] };

export function sparkOfHistory(history: History): Spark {
  const means = (name: string) => history.series.find(({ value }) => value === name)?.mean ?? [];
  const spark = { ...kNoSpark, at: history.moments };
  for (const value of kValues) {
    const mean = means(kSparkHistory[value]);
    spark[value] = history.moments.map((_, i) => mean[i] ?? null);
  }
  return spark;
}

/** The points that `keep` names by their index. */
function filtered(spark: Spark, keep: (index: number) => boolean): Spark {
  const only = <T>(list: readonly T[]) => list.filter((_, i) => keep(i));
  const next = { ...kNoSpark, at: only(spark.at) };
  for (const value of kValues) next[value] = only(spark[value]);
  return next;
}

/** With a point behind the others; what is older than the picture goes. A point close to the last one takes its place. */
function appended(spark: Spark, at: number, point: Record<SparkValue, number | null>): Spark {
  const last = spark.at.at(-1);
  const before = spark.at.at(-2);
  if (last !== undefined && at <= last) return spark;
  const replaces = last !== undefined && before !== undefined && last - before < kLeastStep;
  const base = filtered(spark, (i) => spark.at[i]! >= at - kSparkSeconds && !(replaces && i === spark.at.length - 1));
  const next = { ...kNoSpark, at: [...base.at, at] };
  for (const value of kValues) next[value] = [...base[value], point[value]];
  return next;
}

export type Sparks = ReadonlyMap<string, Spark>;

export function withSamples(sparks: Sparks, samples: Samples): Sparks {
  const at = secondsOf(samples.moment);
  if (at === null) return sparks;
  const next = new Map(sparks);
  for (const gpu of samples.gpus) {
    const known = gpu.quality === 'fresh' || gpu.quality === 'contradictory';
    const point = {
      utilization: known ? gpu.utilization_percent : null,
      memory: known ? gpu.memory_used_bytes : null,
      temperature: known ? gpu.temperature_celsius : null,
      power: known && gpu.power_watts !== null ? gpu.power_watts * 1000 : null,
    };
    next.set(gpu.uuid, appended(next.get(gpu.uuid) ?? kNoSpark, at, point));
  }
  return next;
}

/** History comes in front of what the event stream has told meanwhile. */
export function withHistory(sparks: Sparks, uuid: string, history: History): Sparks {
  const past = sparkOfHistory(history);
  const end = past.at.at(-1) ?? -Infinity;
  const live = filtered(sparks.get(uuid) ?? kNoSpark, (i) => (sparks.get(uuid)?.at[i] ?? 0) > end);
  const joined = { ...kNoSpark, at: [...past.at, ...live.at] };
  for (const value of kValues) joined[value] = [...past[value], ...live[value]];
  return new Map(sparks).set(uuid, joined);
}
