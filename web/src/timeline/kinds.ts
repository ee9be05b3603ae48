import type { TrackKind } from '../data/format.ts';

/** What a track's slices are, in words. */
export const kKindTitles: Record<TrackKind, string> = {
  step: 'Steps',
  idle: 'GPU idle time',
  gpu: 'GPU work',
  projection: 'Projected ranges',
  range: 'Ranges',
  api: 'CUDA calls',
  library: 'Library calls',
  os: 'OS runtime calls',
  scheduling: 'Thread scheduling',
  sample: 'Samples',
  overhead: 'Profiler overhead',
  mark: 'Marks',
  counter: 'Counters',
};
