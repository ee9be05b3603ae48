import type { ProfileDocument } from '../data/format.ts';
import type { Span } from './viewport.ts';

/**
 * Where the zero of the axis is. Each rank of each profile has its own clock: a moment `t` of it is shown at
 * `t + shift`. Aligned by time all shifts are 0, aligned by step k each rank's k-th step begins at 0. Pure.
 */
export type Alignment = { by: 'time' } | { by: 'step'; step: number };

export interface Lanes {
  shift(profile: number, rank: number): number;
  /** On the axis, all there is. */
  bounds: Span;
}

/** A rank without steps goes with the first of its profile that has some. */
function stepStart(profile: ProfileDocument, rank: number, step: number): number {
  const ranks = profile.steps?.ranks ?? [];
  const own = ranks.find((steps) => steps.rank === rank) ?? ranks[0];
  return own?.start_ns[Math.min(step, own.start_ns.length - 1)] ?? 0;
}

export function lanesOf(profiles: readonly ProfileDocument[], alignment: Alignment): Lanes {
  const shifts = profiles.map((profile) =>
    profile.timeline.ranks.map((_, rank) =>
      alignment.by === 'time' ? 0 : 0 - stepStart(profile, rank, alignment.step),
    ),
  );
  const ends = profiles.flatMap((profile, p) => shifts[p]!.map((shift) => profile.span_ns + shift));
  return {
    shift: (profile, rank) => shifts[profile]?.[rank] ?? 0,
    bounds: { start: Math.min(...shifts.flat(), ...(shifts.flat().length ? [] : [0])), end: Math.max(1, ...ends) },
  };
}

/** The longest turn of step k, which begins at 0 on an axis that is aligned by it. */
export function stepSpan(profiles: readonly ProfileDocument[], step: number): Span {
  const ranks = profiles.flatMap((profile) => profile.steps?.ranks ?? []);
  return { start: 0, end: Math.max(1, ...ranks.map((rank) => (rank.end_ns[step] ?? 0) - (rank.start_ns[step] ?? 0))) };
}

/** How many steps every rank that has any has. */
export function commonSteps(profiles: readonly ProfileDocument[]): number {
  const counts = profiles.flatMap((profile) => profile.steps?.ranks.map((rank) => rank.start_ns.length) ?? []);
  return counts.length === 0 ? 0 : Math.min(...counts);
}

/** Are there several that can be laid one against the other? */
export const severalLanes = (profiles: readonly ProfileDocument[]): boolean =>
  profiles.length > 1 || profiles.some((profile) => profile.timeline.ranks.length > 1);

/** The number of the first step that is there: as many were left out before it as warm-up. Of profiles that differ 0. */
export function firstStep(profiles: readonly ProfileDocument[]): number {
  const numbers = new Set(profiles.flatMap((profile) => (profile.steps ? [profile.steps.warm_up] : [])));
  return numbers.size === 1 ? [...numbers][0]! : 0;
}
