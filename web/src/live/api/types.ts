/** JSON of the service's API (GET /api/v1/openapi.json). Moments are RFC 3339 in UTC; unknown is null. */

export type Health = 'ok' | 'warning' | 'critical';
export type Quality = 'fresh' | 'stale' | 'absent' | 'contradictory';
export type Severity = 'info' | 'warning' | 'critical';
export type Role = 'none' | 'read' | 'submit' | 'admin';

export type GpuValue = number | string | boolean | null;

export interface GpuProcess {
  pid: number;
  name: string | null;
  kind: 'compute' | 'graphics';
  memory_used_bytes: number | null;
  alive: boolean;
  user: string | null;
  command: string | null;
  container: string | null;
  pod: string | null;
  unit: string | null;
  started: string | null;
}

export interface NvLink {
  link: number;
  active: boolean | null;
  speed_mbytes_per_s: number | null;
  replay_errors: number | null;
  recovery_errors: number | null;
  crc_errors: number | null;
}

export interface MigDevice {
  uuid: string;
  name: string;
  gpu_instance: number | null;
  compute_instance: number | null;
  memory_total_bytes: number | null;
  memory_used_bytes: number | null;
}

export interface Gpu {
  index: number;
  /** "gpu_0" */
  id: string;
  uuid: string;
  name: string | null;
  simulated: boolean;
  health: Health;
  quality: Quality;
  quality_reason: string | null;
  moment: string | null;
  age_seconds: number | null;
  failure: { kind: string; message: string } | null;
  /** By the names of src/device/values.inc. */
  values: Record<string, GpuValue>;
  nvlinks: NvLink[] | null;
  mig_devices: MigDevice[] | null;
  processes: GpuProcess[] | null;
  /** Ids of open ones. */
  incidents: number[];
}

export interface Host {
  moment: string | null;
  hostname: string;
  simulated: boolean;
  source: string | null;
  driver_version: string | null;
  cuda_version: string | null;
  source_trouble: string | null;
  gpus: Gpu[];
}

export interface History {
  gpu: string;
  resolution_seconds: number;
  /** Where each point begins, seconds since 1970. */
  moments: number[];
  series: HistorySeries[];
}

export interface HistorySeries {
  value: string;
  unit: string;
  minimum: (number | null)[];
  mean: (number | null)[];
  maximum: (number | null)[];
}

export interface Incident {
  id: number;
  detector: string;
  gpu_uuid: string;
  gpu_index: number;
  subject: string | null;
  severity: Severity;
  summary: string;
  action: string;
  arguments: Record<string, number | string>;
  xids: number[];
  opened: string;
  last_seen: string;
  cleared: string | null;
  cleared_by: string | null;
  times_seen: number;
  acknowledged: string | null;
  acknowledged_by: string | null;
  simulated: boolean;
}

export interface Incidents {
  incidents: Incident[];
  next_before: number | null;
}

export interface WasteEntry {
  gpu_uuid: string;
  kind: 'held_idle' | 'dead_memory' | 'unused';
  user: string | null;
  container: string | null;
  hours: number;
  energy_kwh: number | null;
  money: number | null;
  since: string | null;
  until: string | null;
}

export interface Waste {
  currency: string;
  priced: boolean;
  /** Days in UTC, "2026-11-22". */
  days: { day: string; entries: WasteEntry[] }[];
}

export interface ConfigKey {
  key: string;
  value: unknown;
  /** "default", "file", "run_time", "persisted", "command_line" */
  origin: string;
  line: number | null;
  needs_restart: boolean;
  waits_for_restart: boolean;
}

export interface Configuration {
  file: string;
  keys: ConfigKey[];
}

export interface ConfigChange {
  key: string;
  value: unknown;
  before: unknown;
  persisted: boolean;
}

export interface Caller {
  name: string;
  role: Role;
}

/** Data of the event `samples`: of each GPU what changes fast. */
export interface Samples {
  moment: string;
  gpus: SampleOfGpu[];
}

export interface SampleOfGpu {
  id: string;
  uuid: string;
  health: Health;
  quality: Quality;
  utilization_percent: number | null;
  memory_used_bytes: number | null;
  memory_total_bytes: number | null;
  temperature_celsius: number | null;
  power_watts: number | null;
}

export interface IncidentNews {
  change: 'opened' | 'changed' | 'cleared' | 'acknowledged';
  incident: Incident;
}
