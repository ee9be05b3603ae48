import type { ComponentChildren } from 'preact';
import type { Profile } from '../data/report.ts';
import type { Loaded, Side } from './use_sections.ts';

/** One cell a profile: beside one another where there is room, or always one above the other. Named where there are two. */
export function Sides<T extends { profile: Profile }>(props: {
  sides: readonly T[];
  stacked?: boolean;
  children: (side: T) => ComponentChildren;
}) {
  const { sides, stacked, children } = props;
  return (
    <div class={stacked ? 'sonde-sides stacked' : 'sonde-sides'}>
      {sides.map((side) => (
        <div key={side.profile.index} class="sonde-side">
          {sides.length > 1 && (
            <h4 class="sonde-side-label">
              <bdi>{side.profile.document.label}</bdi>
            </h4>
          )}
          {children(side)}
        </div>
      ))}
    </div>
  );
}

/** The view once its data are there; says it where they are not. */
export function WhenLoaded<T>(props: { loaded: Loaded<T>; children: (sides: Side<T>[]) => ComponentChildren }) {
  const { loaded, children } = props;
  if (loaded.state === 'loading') return <p class="sonde-muted">Decoding…</p>;
  if (loaded.state === 'failed')
    return <p role="alert">This part of the report cannot be read: {loaded.why}. Create the report again.</p>;
  return <>{children(loaded.sides)}</>;
}

/** Of the sides, those that have the data; the others get a sentence. */
export function present<T>(sides: readonly Side<T>[]): { profile: Profile; data: T }[] {
  return sides.flatMap(({ profile, data }) => (data === null ? [] : [{ profile, data }]));
}

/** For each side that has no data: whose it is, and the sentence. */
export function Absent<T>(props: { sides: readonly Side<T>[]; children: ComponentChildren }) {
  const absent = props.sides.filter((side) => side.data === null);
  return (
    <>
      {absent.map(({ profile }) => (
        <p key={profile.index} class="sonde-absent">
          {props.sides.length > 1 && (
            <>
              <bdi>{profile.document.label}</bdi>:{' '}
            </>
          )}
          {props.children}
        </p>
      ))}
    </>
  );
}
