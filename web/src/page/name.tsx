import { cutMiddle } from '../text/names.ts';

/** Tooltips hold no more; a name can have any length. */
const kMostInTooltip = 2000;

/** What the pointer shows over a name that is not shown whole. */
export const titleOf = (name: string, shown: string): string | undefined =>
  shown === name ? undefined : cutMiddle(name, kMostInTooltip);

/** A name from a profile: cut to `most` characters, whole on hover, and without power over the order of the line. */
export function Name({ text, most }: { text: string; most: number }) {
  const cut = cutMiddle(text, most);
  return <bdi title={titleOf(text, cut)}>{cut}</bdi>;
}
