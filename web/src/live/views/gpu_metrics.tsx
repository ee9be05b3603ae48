import type { Gpu } from '../api/types.ts';
import { kNoSpark, type Spark, type SparkValue } from '../state/sparks.ts';
import { celsius, memory, numberOf, percent, powerOf, usedOf, watts } from '../text/format.ts';
import { texts } from '../text/texts.ts';
import { Meter, shareOf } from './meter.tsx';
import { Sparkline } from './sparkline.tsx';

interface Metric {
  id: SparkValue;
  title: string;
  now: string;
  /** 0 to 1 of what there is; null where either is not known. */
  share: number | null;
  most: number | null;
  text: (value: number) => string;
}

/** The four values that every list of GPUs has. */
export function metricsOf(gpu: Gpu): Metric[] {
  const value = (name: string) => numberOf(gpu.values[name]);
  const utilization = value('gpu_utilization_percent');
  const used = value('memory_used_bytes');
  const total = value('memory_total_bytes');
  const heat = value('temperature_celsius');
  const power =
    value('power_draw_milliwatts') ?? value('power_average_milliwatts') ?? value('power_instant_milliwatts');
  const limit = value('power_enforced_limit_milliwatts') ?? value('power_limit_milliwatts');
  const { gpus } = texts;
  return [
    {
      id: 'utilization',
      title: gpus.utilization,
      now: percent(utilization),
      share: shareOf(utilization, 100),
      most: 100,
      text: percent,
    },
    {
      id: 'memory',
      title: gpus.memory,
      now: usedOf(used, total),
      share: shareOf(used, total),
      most: total,
      text: memory,
    },
    { id: 'temperature', title: gpus.temperature, now: celsius(heat), share: null, most: 100, text: celsius },
    {
      id: 'power',
      title: gpus.power,
      now: powerOf(power, limit),
      share: shareOf(power, limit),
      most: limit,
      text: watts,
    },
  ];
}

export function GpuMetrics({ gpu, spark = kNoSpark }: { gpu: Gpu; spark: Spark | undefined }) {
  return (
    <dl class="metrics">
      {metricsOf(gpu).map(({ id, title, now, share, most, text }) => (
        <div key={id} class={`metric ${id}`}>
          <dt>{title}</dt>
          <dd>
            <span class="metric-now">{now}</span>
            <Meter value={share} most={1} />
            <Sparkline what={title} at={spark.at} values={spark[id]} most={most} text={text} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
