/** Takes a command line apart as a shell does, without its variables and patterns; null where a quote does not end. */
export function wordsOf(text: string): string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let at = 0; at < text.length; ++at) {
    const char = text[at]!;
    if (quote) {
      if (char === quote) quote = '';
      else if (char === '\\' && quote === '"' && /["\\]/.test(text[at + 1] ?? '')) word += text[++at]!;
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (char === '\\' && at + 1 < text.length) word = (word ?? '') + text[++at]!;
    else if (!/\s/.test(char)) word = (word ?? '') + char;
    else if (word !== null) {
      words.push(word);
      word = null;
    }
  }
  if (quote) return null;
  return word === null ? words : [...words, word];
}

const kPlain = /^[\w@%+=:,./-]+$/;

/** A command line that a shell takes apart into these words. */
export const commandText = (words: readonly string[]): string =>
  words.map((word) => (kPlain.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
