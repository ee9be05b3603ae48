import type { Sections } from '../data/format.ts';
import type { Profile, Report } from '../data/report.ts';
import { messageOf } from '../page/part.tsx';
import { remember, usePromise } from '../page/use_promise.ts';

type Content<Name extends keyof Sections> = NonNullable<Sections[Name]['content']>;

/** A profile and its section: null where it has none. */
export interface Side<T> {
  profile: Profile;
  data: T | null;
}

export type Loaded<T> = { state: 'loading' } | { state: 'failed'; why: string } | { state: 'there'; sides: Side<T>[] };

/** By report and section, so that what is decoded is there at once, also for the first frame of a printed page. */
const kept = new WeakMap<Report, Map<keyof Sections, Promise<unknown>>>();

function sidesOf<Name extends keyof Sections>(report: Report, name: Name): Promise<Side<Content<Name>>[]> {
  const load = async (profile: Profile): Promise<Side<Content<Name>>> => ({
    profile,
    data: (await profile.section(name)) ?? null,
  });
  const byName = kept.get(report) ?? new Map<keyof Sections, Promise<unknown>>();
  kept.set(report, byName);
  const known = byName.get(name) ?? Promise.all(report.profiles.map(load));
  byName.set(name, known);
  return known as Promise<Side<Content<Name>>[]>;
}

/** Decodes a section of all profiles, so that useSections() has it at once. Never rejects. */
export const loadSection = (report: Report, name: keyof Sections): Promise<unknown> => remember(sidesOf(report, name));

/** A section of all profiles: both sides of a comparison are there together, for they share their axes. */
export function useSections<Name extends keyof Sections>(report: Report, name: Name): Loaded<Content<Name>> {
  const loaded = usePromise(sidesOf(report, name));
  if (loaded.state === 'waiting') return { state: 'loading' };
  return loaded.state === 'failed'
    ? { state: 'failed', why: messageOf(loaded.error) }
    : { state: 'there', sides: loaded.value };
}
