/** Firefox before 125 has none; there an emoji of several parts may be cut. */
const graphemes = typeof Intl.Segmenter === 'function' ? new Intl.Segmenter('en', { granularity: 'grapheme' }) : null;

const characters = (text: string): string[] =>
  graphemes ? Array.from(graphemes.segment(text), (s) => s.segment) : Array.from(text);

/** What would turn the line around, or end it, where it stands within other text. */
const kControls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The name with a mark in the place of each character that controls how text is set. */
const withoutControls = (name: string): string => name.replace(kControls, '\ufffd');

/** A name that fits into `most` characters, cut in the middle, where kernels' names tell least. */
export function cutMiddle(name: string, most: number): string {
  if (name.length <= most) return withoutControls(name);
  if (most < 3) return most > 0 ? '…' : '';
  // Only the ends are taken apart: a name can have thousands of characters.
  const head = Math.ceil((most - 1) / 2);
  const tail = most - 1 - head;
  const first = characters(name.slice(0, 4 * head)).slice(0, head);
  const last = tail === 0 ? [] : characters(name.slice(-4 * tail)).slice(-tail);
  return withoutControls(`${first.join('')}…${last.join('')}`);
}
