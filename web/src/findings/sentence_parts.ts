import type { Finding } from '../data/format.ts';

/** A piece of a sentence: its own words, or a name that it tells. */
export interface SentencePart {
  text: string;
  isName: boolean;
}

/** Shorter arguments are words or numbers, which do no harm. */
const kShortestName = 4;

/** Takes the names out of what a finding says, so that none has power over the rest of the line. */
export function sentenceParts({ says, arguments: values }: Pick<Finding, 'says' | 'arguments'>): SentencePart[] {
  const names = Object.values(values).filter(
    (value): value is string => typeof value === 'string' && value.length >= kShortestName,
  );
  let parts: SentencePart[] = [{ text: says, isName: false }];
  for (const name of names.sort((a, b) => b.length - a.length))
    parts = parts.flatMap((part) => (part.isName ? [part] : splitAt(part.text, name)));
  return parts;
}

function splitAt(text: string, name: string): SentencePart[] {
  return text
    .split(name)
    .flatMap((words, i) => [
      ...(i > 0 ? [{ text: name, isName: true }] : []),
      ...(words ? [{ text: words, isName: false }] : []),
    ]);
}
