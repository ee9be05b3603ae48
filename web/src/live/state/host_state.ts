import type { Gpu, Host, Incident, IncidentNews, SampleOfGpu, Samples } from '../api/types.ts';

const milli = (value: number | null): number | null => (value === null ? null : value * 1000);

function withSample(gpu: Gpu, sample: SampleOfGpu, moment: string): Gpu {
  const fresh = sample.quality === 'fresh' || sample.quality === 'contradictory';
  return {
    ...gpu,
    health: sample.health,
    quality: sample.quality,
    quality_reason: sample.quality === gpu.quality ? gpu.quality_reason : null,
    moment: fresh ? moment : gpu.moment,
    values: {
      ...gpu.values,
      gpu_utilization_percent: sample.utilization_percent,
      memory_used_bytes: sample.memory_used_bytes,
      memory_total_bytes: sample.memory_total_bytes,
      temperature_celsius: sample.temperature_celsius,
      power_draw_milliwatts: milli(sample.power_watts),
    },
  };
}

/** The host with what a `samples` event says of its GPUs; the rest of them is as it was. */
export function applySamples(host: Host, samples: Samples): Host {
  const byUuid = new Map(samples.gpus.map((gpu) => [gpu.uuid, gpu]));
  return {
    ...host,
    moment: samples.moment,
    gpus: host.gpus.map((gpu) => {
      const sample = byUuid.get(gpu.uuid);
      return sample ? withSample(gpu, sample, samples.moment) : gpu;
    }),
  };
}

/** Whether the event tells of something that only the whole answer explains: a mark and its reason, another GPU. */
export function needsReload(host: Host, samples: Samples): boolean {
  const byUuid = new Map(host.gpus.map((gpu) => [gpu.uuid, gpu]));
  if (byUuid.size !== samples.gpus.length) return true;
  return samples.gpus.some(({ uuid, health, quality }) => {
    const known = byUuid.get(uuid);
    return known === undefined || known.health !== health || known.quality !== quality;
  });
}

const newestFirst = (a: Incident, b: Incident): number => b.id - a.id;

/** The list with the incident as it is now, the newest first. */
export function withIncident(list: readonly Incident[], incident: Incident): Incident[] {
  return [...list.filter(({ id }) => id !== incident.id), incident].sort(newestFirst);
}

/** Open incidents after a change of one. */
export function applyIncident(open: readonly Incident[], { incident }: IncidentNews): Incident[] {
  const next = withIncident(open, incident);
  return incident.cleared === null ? next : next.filter(({ id }) => id !== incident.id);
}

export const kSeverityRank = { critical: 0, warning: 1, info: 2 } as const;

export const worstFirst = (a: Incident, b: Incident): number =>
  kSeverityRank[a.severity] - kSeverityRank[b.severity] || b.id - a.id;
