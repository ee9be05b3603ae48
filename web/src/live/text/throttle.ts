import { texts } from './texts.ts';

/** Bits of clocks_event_reasons, as NVML has them. */
const kThrottling = [
  [0x4, 'sw_power_cap'],
  [0x8, 'hw_slowdown'],
  [0x10, 'sync_boost'],
  [0x20, 'sw_thermal_slowdown'],
  [0x40, 'hw_thermal_slowdown'],
  [0x80, 'hw_power_brake_slowdown'],
  [0x100, 'display_clock_setting'],
] as const;
const kIdle = 0x1;
const kApplicationClocks = 0x2;
const kHardware = 0x8;
/** Each of these is told as a hardware slowdown besides. */
const kHardwareCauses = 0xc0;

export interface ClockReasons {
  /** What slows the GPU down, in words. */
  throttling: string[];
  /** What holds clocks down without being a slowdown. */
  others: string[];
}

/** Null where the GPU does not say. */
export function clockReasons(mask: unknown): ClockReasons | null {
  if (typeof mask !== 'number') return null;
  const told = mask & kHardwareCauses ? mask & ~kHardware : mask;
  const throttling: string[] = kThrottling.filter(([bit]) => told & bit).map(([, id]) => texts.throttle[id]);
  const known = kThrottling.reduce((bits, [bit]) => bits | bit, kIdle | kApplicationClocks);
  if (mask & ~known) throttling.push(texts.throttle.other(`0x${(mask & ~known).toString(16)}`));
  const others: string[] = [];
  if (mask & kIdle) others.push(texts.throttle.idle);
  if (mask & kApplicationClocks) others.push(texts.throttle.applications_clocks_setting);
  return { throttling, others };
}
