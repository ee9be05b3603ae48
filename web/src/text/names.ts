/** Firefox before 125 has none; there an emoji of several parts may be cut. */
const graphemes = typeof Intl.Segmenter === 'function' ? new Intl.Segmenter('en', { granularity: 'grapheme' }) : null;

const characters = (text: string): string[] =>
  graphemes ? Array.from(graphemes.segment(text), (s) => s.segment) : Array.from(text);

/** What would turn the line around, or end it, where it stands within other text. */
const kControls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The name with a mark in the place of each character that controls how text is set. */
const withoutControls = (name: string): string => name.replace(kControls, '\ufffd');

const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** Code units that a character may have here; an emoji of a family has 11. Only the ends of a long name are read. */
const kLongestCharacter = 16;

/** A name that fits into `most` characters, cut in the middle, where kernels' names tell least. */
export function cutMiddle(name: string, most: number): string {
  if (name.length <= most) return withoutControls(name);
  if (most < 3) return most > 0 ? '…' : '';
  const head = Math.ceil((most - 1) / 2);
  const tail = most - 1 - head;
  const begin = name.slice(0, kLongestCharacter * head);
  const end = name.slice(-kLongestCharacter * tail);
  if (isPlain(begin) && isPlain(end)) return `${begin.slice(0, head)}…${end.slice(-tail)}`;
  if (name.length <= kLongestCharacter * most && characters(name).length <= most) return withoutControls(name);
  const first = characters(begin).slice(0, head).join('');
  const last = characters(end).slice(-tail).join('');
  return withoutControls(`${first}…${last}`);
}
