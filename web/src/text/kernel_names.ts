import { cutMiddle } from './names.ts';

/** Kernels' names by what tells them apart: the function, and those of its template arguments that others do not share. */

const kOpening = '([{<';
const kClosing = ')]}>';
/** Longer names are not read: no compiler's tables have them. */
const kLongest = 8000;
const kUnnamed = /\(anonymous namespace\)|<unnamed>|<anonymous>/y;

/** Index of the bracket that closes the one at `at`; the end of the text where there is none. */
function closingOf(text: string, at: number): number {
  let open = '';
  for (let i = at; i < text.length; ++i) {
    const kind = kClosing.indexOf(text[i]!);
    if (kOpening.includes(text[i]!)) open += text[i];
    else if (kind === 3) {
      if (open.endsWith('<') && text[i - 1] !== '-') open = open.slice(0, -1);
    } else if (kind >= 0) open = open.replace(/<+$/, '').slice(0, -1);
    if (open === '') return i;
  }
  return text.length;
}

/** The text in parts at `separator` where no bracket is open. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let begin = 0;
  for (let i = 0; i < text.length; ++i) {
    if (kOpening.includes(text[i]!)) i = closingOf(text, i);
    else if (text.startsWith(separator, i)) {
      parts.push(text.slice(begin, i));
      i += separator.length - 1;
      begin = i + 1;
    }
  }
  return [...parts, text.slice(begin)];
}

interface Declaration {
  /** Without return type, namespaces and arguments. */
  name: string;
  /** Template arguments; none where it has none. */
  templates: string[];
  parameters: string;
}

/** Where the parameters of the function begin: the last bracket that no name goes on behind. */
function parametersAt(text: string): number {
  for (let i = 0; i < text.length; ++i) {
    if (!kOpening.includes(text[i]!)) continue;
    kUnnamed.lastIndex = i;
    const end = closingOf(text, i);
    const goesOn = /^( const)?::/.test(text.slice(end + 1, end + 9));
    if (text[i] === '(' && !kUnnamed.test(text) && !goesOn && !/\b(operator|decltype)$/.test(text.slice(0, i)))
      return i;
    i = end;
  }
  return text.length;
}

/** Null for what is no C++ declaration: "ampere_sgemm_128x128_tn", or any text. */
function declarationOf(text: string): Declaration | null {
  if (text.length > kLongest || !/[(<]/.test(text)) return null;
  const at = parametersAt(text);
  const last = splitOutside(text.slice(0, at), '::').at(-1)!;
  const word = splitOutside(last, ' ')
    .filter((part) => part !== '' && part !== 'const')
    .at(-1);
  if (!word) return null;
  const open = word.indexOf('<', 1);
  const name = open < 0 ? word : word.slice(0, open);
  if (!/^[\w$~ ]+$/.test(name)) return null;
  const inside = open < 0 ? '' : word.slice(open + 1, closingOf(word, open));
  const templates = inside === '' ? [] : splitOutside(inside, ',').map((part) => part.trim());
  return { name, templates, parameters: text.slice(at) };
}

const kNested = '<(?:[^<>]|<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)*>';
const kBody = '\\((?:[^(){}]|\\([^(){}]*\\))*\\)(?: const)?::';
const kLambda = '\\{lambda(\\([^(){}]*\\))#\\d+\\}';
/** A lambda's function with its arguments, and what the lambda takes; of lambdas within one another the innermost counts. */
const kDepth = 3;
const kOfLambda = new RegExp(
  `(\\w+)(${kNested})?(?:::operator\\(\\))?${kBody}${kLambda}${`(?:::operator\\(\\)${kBody}${kLambda})?`.repeat(kDepth - 1)}`,
  'g',
);
/** Functions of PyTorch whose lambda only applies what they are given. */
const kApplies = /^gpu_kernel_impl/;

function lambdaText(_: string, name: string, templates: string | undefined, ...takes: (string | number | undefined)[]) {
  if (kApplies.test(name) && templates) return templates.slice(1, -1).trim();
  const types = takes.slice(0, kDepth).filter((text) => text !== undefined && text !== '()');
  return name + (types.at(-1) ?? '');
}

/** Namespaces, casts of integers and what lambdas are numbered by tell little. */
function shortArgument(text: string): string {
  return (
    text
      .replace(/\((?:unsigned |signed )?(?:bool|char|short|int|long|long long)\)(?=-?\d)/g, '')
      .replace(/\(anonymous namespace\)::/g, '')
      .replace(/(?:\b(?!operator\b)\w+::)+(?=\w)(?!operator\b)/g, '')
      .replace(kOfLambda, lambdaText)
      // The function around it, which it was an argument of.
      .replace(kOfLambda, lambdaText)
      .replace(/(\d)[uU]?[lL]+(?=[,>)]|$)/g, '$1')
      .replace(/ >/g, '>')
  );
}

/** Elementwise kernels of PyTorch and others are named by what they are applied to. */
const kTelling = /functor|lambda|\bops?\b|op<|epilogue|cutlass|policy/i;

const shownWith = (name: string, templates: readonly string[]): string =>
  templates.length === 0 ? name : `${name}<${templates.join(', ')}>`;

/** The fewest positions of template arguments that tell the declarations apart, those first that say what is computed. */
function tellingPositions(group: readonly Declaration[]): number[] {
  const positions = Array.from({ length: Math.max(...group.map(({ templates }) => templates.length)) }, (_, i) => i);
  const differs = (i: number) => group.some(({ templates }) => templates[i] !== group[0]!.templates[i]);
  const tells = (i: number) => group.some(({ templates }) => kTelling.test(templates[i] ?? ''));
  const wanted = positions.filter((i) => tells(i) && (group.length === 1 || differs(i)));
  const others = positions.filter((i) => differs(i) && !wanted.includes(i));
  const kinds = (chosen: readonly number[]) =>
    new Set(group.map(({ templates }) => chosen.map((i) => templates[i] ?? '').join('\n'))).size;
  while (others.length > 0 && kinds(wanted) < group.length) wanted.push(others.shift()!);
  return wanted.sort((a, b) => a - b);
}

function tellingArguments(group: readonly Declaration[]): string[] {
  const positions = tellingPositions(group);
  return group.map(({ name, templates }) =>
    shownWith(
      name,
      positions.filter((i) => i < templates.length).map((i) => shortArgument(templates[i]!)),
    ),
  );
}

/** Texts of one name's templates that say more and more. */
const kLevels: readonly ((group: readonly Declaration[]) => string[])[] = [
  tellingArguments,
  (group) => group.map(({ name, templates }) => shownWith(name, templates.map(shortArgument))),
  (group) => group.map((d) => shownWith(d.name, d.templates.map(shortArgument)) + shortArgument(d.parameters)),
];

function counts(texts: Iterable<string>): Map<string, number> {
  const found = new Map<string, number>();
  for (const text of texts) found.set(text, (found.get(text) ?? 0) + 1);
  return found;
}

/** For each of the group the first text that no other has at its level; none for those that stay alike. */
function textsOfGroup(group: readonly Declaration[]): (string | undefined)[] {
  const chosen: (string | undefined)[] = group.map(() => undefined);
  for (const level of kLevels) {
    const texts = level(group);
    const times = counts(texts);
    texts.forEach((text, i) => (chosen[i] ??= times.get(text) === 1 ? text : undefined));
  }
  return chosen;
}

/** For each name the shortest text of it that no other of the names has; the name itself where there is none. */
export function shortKernelNames(names: Iterable<string>): Map<string, string> {
  const groups = new Map<string, { text: string; declaration: Declaration }[]>();
  const shown = new Map<string, string>();
  for (const text of new Set(names)) {
    const declaration = declarationOf(text);
    shown.set(text, text);
    if (declaration) groups.set(declaration.name, [...(groups.get(declaration.name) ?? []), { text, declaration }]);
  }
  for (const group of groups.values()) {
    const texts = textsOfGroup(group.map(({ declaration }) => declaration));
    group.forEach(({ text }, i) => shown.set(text, texts[i] ?? text));
  }
  return withoutTwins(shown);
}

/** A name without arguments can be that of another one which is no declaration. */
function withoutTwins(shown: Map<string, string>): Map<string, string> {
  const times = counts(shown.values());
  for (const [text, short] of shown) if (times.get(short)! > 1) shown.set(text, text);
  return shown;
}

/** Characters that stay of the head where what differs is farther back. */
const kHead = 12;
const kBefore = 4;

function commonLength(texts: readonly string[]): number {
  let length = 0;
  while (texts.every((text) => length < text.length && text[length] === texts[0]![length])) ++length;
  return length;
}

/** A text with the place from which on it differs from others. */
function cutAround(text: string, from: number, most: number): string {
  const head = Math.min(kHead, Math.floor(most / 3));
  return `${text.slice(0, head)}…${cutMiddle(text.slice(Math.max(head, from - kBefore)), most - head - 1)}`;
}

/** Each of the texts as `cut` has it, with those that share one. */
function byCut(texts: readonly string[], cut: (text: string) => string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const text of texts) found.set(cut(text), [...(found.get(cut(text)) ?? []), text]);
  return found;
}

/**
 * Texts cut to `most` characters in the middle; those that would look alike show the place where they differ, and where
 * that does not fit either, a number.
 */
export function cutApart(texts: readonly string[], most: number): string[] {
  const shown = new Map<string, string>();
  for (const [cut, alike] of byCut([...new Set(texts)], (text) => cutMiddle(text, most))) {
    const from = alike.length > 1 ? commonLength(alike) : 0;
    const around = byCut(alike, (text) => (alike.length > 1 ? cutAround(text, from, most) : cut));
    let number = 0;
    for (const [short, twins] of around)
      for (const text of twins) shown.set(text, twins.length === 1 ? short : numbered(short, ++number, most));
  }
  return texts.map((text) => shown.get(text)!);
}

const numbered = (text: string, number: number, most: number): string =>
  `${cutMiddle(text, Math.max(3, most - ` ${number}`.length))} ${number}`;
