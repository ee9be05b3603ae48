import { cutMiddle } from '../text/names.ts';

/** Tooltips hold no more; a name can have any length. */
const kMostInTooltip = 2000;

/** A name from a profile: cut to `most` characters, whole on hover, and without power over the order of the line. */
export function Name({ text, most }: { text: string; most: number }) {
  const cut = cutMiddle(text, most);
  return <bdi title={cut === text ? undefined : cutMiddle(text, kMostInTooltip)}>{cut}</bdi>;
}
