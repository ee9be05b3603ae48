import type { Steps } from '../data/format.ts';
import type { Profile } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';
import { bytesText, countText, percentText, timeText } from '../text/units.ts';
import type { RankSteps } from './steps.ts';

/** Steps are counted with the warm-up, as they are in the run; the first of all is 0. */
export const stepTitle = (data: Steps, step: number): string => `step ${countText(data.warm_up + step)}`;

export const rankTitle = (profile: Profile, rank: number): string =>
  profile.document.timeline.ranks[rank] || `rank ${rank}`;

export function showStep(navigation: Navigation, profile: Profile, data: Steps, rank: RankSteps, step: number): void {
  navigation.showOnTimeline({
    profile: profile.index,
    start_ns: rank.steps.start_ns[step]!,
    end_ns: rank.steps.end_ns[step]!,
    place: profile.document.timeline.tracks.find((track) => track.kind === 'step' && track.rank === rank.rank)?.place,
    what: data.range,
  });
}

export function stepFacts(rank: RankSteps, step: number): [string, string][] {
  const length = rank.length_ns[step]!;
  const busy = rank.busy_ns[step]!;
  return [
    ['length', timeText(length)],
    ['GPU busy', `${timeText(Math.round(busy))} (${percentText(length > 0 ? (100 * busy) / length : null)})`],
    ['kernels', countText(rank.steps.kernels[step])],
    ['launches', countText(rank.steps.launches[step])],
    ['copied', bytesText(rank.steps.copy_bytes[step])],
    ['starts at', timeText(rank.steps.start_ns[step])],
  ];
}
