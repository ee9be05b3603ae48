import type { TrackKind } from '../data/format.ts';

/** What a track's slices are, in words. */
export const kKindTitles: Record<TrackKind, string> = {
  step: 'Steps',
  idle: 'GPU idle time',
  gpu: 'GPU work',
  range: 'Ranges',
  api: 'CUDA calls',
  library: 'Library calls',
  os: 'OS runtime calls',
  scheduling: 'Thread scheduling',
  overhead: 'Profiler overhead',
  mark: 'Marks',
  counter: 'Counters',
};
