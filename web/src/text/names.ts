/** Firefox before 125 has none; there an emoji of several parts may be cut. */
const graphemes = typeof Intl.Segmenter === 'function' ? new Intl.Segmenter('en', { granularity: 'grapheme' }) : null;

const characters = (text: string): string[] =>
  graphemes ? Array.from(graphemes.segment(text), (s) => s.segment) : Array.from(text);

/** A name that fits into `most` characters, cut in the middle, where kernels' names tell least. */
export function cutMiddle(name: string, most: number): string {
  if (name.length <= most) return name;
  if (most < 3) return most > 0 ? '…' : '';
  // Only the ends are taken apart: a name can have thousands of characters.
  const head = Math.ceil((most - 1) / 2);
  const tail = most - 1 - head;
  const first = characters(name.slice(0, 4 * head)).slice(0, head);
  const last = tail === 0 ? [] : characters(name.slice(-4 * tail)).slice(-tail);
  return `${first.join('')}…${last.join('')}`;
}
