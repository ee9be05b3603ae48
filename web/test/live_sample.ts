import type { Gpu, Host, Incident, SampleOfGpu } from '../src/live/api/types.ts';

export const gpu = (index: number, more: Partial<Gpu> = {}): Gpu => ({
  index,
  id: `gpu_${index}`,
  uuid: `GPU-${index}`,
  name: 'Simulated',
  simulated: true,
  health: 'ok',
  quality: 'fresh',
  quality_reason: null,
  moment: '2026-11-22T04:00:00.000Z',
  age_seconds: 0,
  failure: null,
  values: { gpu_utilization_percent: 10, sm_clock_mhz: 1980, memory_used_bytes: null },
  nvlinks: null,
  mig_devices: null,
  processes: [],
  incidents: [],
  ...more,
});

export const host = (...gpus: Gpu[]): Host => ({
  moment: '2026-11-22T04:00:00.000Z',
  hostname: 'h',
  simulated: true,
  source: 'simulated',
  driver_version: null,
  cuda_version: null,
  source_trouble: null,
  gpus,
});

export const sample = (index: number, more: Partial<SampleOfGpu> = {}): SampleOfGpu => ({
  id: `gpu_${index}`,
  uuid: `GPU-${index}`,
  health: 'ok',
  quality: 'fresh',
  utilization_percent: 50,
  memory_used_bytes: 2 ** 30,
  memory_total_bytes: 2 ** 33,
  temperature_celsius: 60,
  power_watts: 300.5,
  ...more,
});

export const incident = (id: number, more: Partial<Incident> = {}): Incident => ({
  id,
  detector: 'gpu_hot',
  gpu_uuid: 'GPU-0',
  gpu_index: 0,
  subject: '',
  severity: 'warning',
  summary: 'hot',
  action: 'cool it',
  arguments: {},
  xids: [],
  opened: '2026-11-22T04:00:00.000Z',
  last_seen: '2026-11-22T04:00:00.000Z',
  cleared: null,
  cleared_by: null,
  times_seen: 1,
  acknowledged: null,
  acknowledged_by: null,
  simulated: true,
  ...more,
});
