import { useEffect, useState } from 'preact/hooks';
import type { Sections } from '../data/format.ts';
import type { Profile, Report } from '../data/report.ts';

type Content<Name extends keyof Sections> = NonNullable<Sections[Name]['content']>;

/** A profile and its section: null where it has none. */
export interface Side<T> {
  profile: Profile;
  data: T | null;
}

export type Loaded<T> = { state: 'loading' } | { state: 'failed'; why: string } | { state: 'there'; sides: Side<T>[] };

/** A section of all profiles: both sides of a comparison are there together, for they share their axes. */
export function useSections<Name extends keyof Sections>(report: Report, name: Name): Loaded<Content<Name>> {
  const [loaded, setLoaded] = useState<Loaded<Content<Name>>>({ state: 'loading' });
  useEffect(() => {
    let wanted = true;
    const set = (value: Loaded<Content<Name>>) => {
      if (wanted) setLoaded(value);
    };
    const load = async (profile: Profile): Promise<Side<Content<Name>>> => ({
      profile,
      data: (await profile.section(name)) ?? null,
    });
    Promise.all(report.profiles.map(load)).then(
      (sides) => set({ state: 'there', sides }),
      (error: unknown) => set({ state: 'failed', why: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      wanted = false;
    };
  }, [report, name]);
  return loaded;
}
