const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A name that fits into `most` characters, cut in the middle, where kernels' names tell least. */
export function cutMiddle(name: string, most: number): string {
  if (name.length <= most) return name;
  if (most < 3) return most > 0 ? '…' : '';
  // Only the ends are taken apart: a name can have thousands of characters.
  const head = Math.ceil((most - 1) / 2);
  const tail = most - 1 - head;
  const first = Array.from(graphemes.segment(name.slice(0, 4 * head)), (s) => s.segment).slice(0, head);
  const last = tail === 0 ? [] : Array.from(graphemes.segment(name.slice(-4 * tail)), (s) => s.segment).slice(-tail);
  return `${first.join('')}…${last.join('')}`;
}
