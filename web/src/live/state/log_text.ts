import type { LogPart } from '../api/tasks.ts';

/** Bytes that stand nowhere on the page: left out by the service, or not read by the page. */
export interface LogGap {
  kind: 'left_out' | 'skipped';
  bytes: number;
}

/** Lines, or a gap; never changed: what grows is another object with the same key. */
export interface LogBlock {
  key: number;
  /** Offset of its beginning in all that was printed. */
  start: number;
  /** As people read them: without the codes of a terminal. */
  lines: readonly string[];
  gap: LogGap | null;
  size: number;
}

/** A part of what a task printed, without holes but those that are blocks. */
export interface LogText {
  blocks: readonly LogBlock[];
  /** A last line that has not ended yet, as it came. */
  rest: string;
  /** The first line as it came: its beginning may be before what is held. */
  first: string;
  /** What is held begins and ends here. */
  from: number;
  next: number;
  whole: boolean;
}

const kBlockLines = 200;
/** Characters that are held; what is older goes. */
export const kMostHeld = 4 << 20;

/** Colours, movements of the cursor and titles, as terminals take them (ECMA-48). */
const kTerminal = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g;
// Tabs stay; a page shows the others as boxes.
const kControls = /[\x00-\x08\x0b-\x1f\x7f]/g;

/** A line as a terminal would leave it: progress bars write over themselves. */
export function readable(line: string): string {
  const plain = line.replace(kTerminal, '').replace(/\r+$/, '');
  return plain.slice(plain.lastIndexOf('\r') + 1).replace(kControls, '\ufffd');
}

export const kNoLog: LogText = { blocks: [], rest: '', first: '', from: 0, next: 0, whole: false };

let keys = 0;

const blockOf = (start: number, lines: readonly string[]): LogBlock => ({
  key: ++keys,
  start,
  lines,
  gap: null,
  size: lines.reduce((sum, line) => sum + line.length + 1, 0),
});
const gapOf = (start: number, gap: LogGap): LogBlock => ({ key: ++keys, start, lines: [], gap, size: 0 });

/** In the last block while there is room, else in another. */
function withLines(blocks: readonly LogBlock[], start: number, lines: readonly string[]): readonly LogBlock[] {
  const last = blocks.at(-1);
  if (lines.length === 0) return blocks;
  if (!last || last.gap || last.lines.length >= kBlockLines) return [...blocks, blockOf(start, lines)];
  const grown = blockOf(last.start, [...last.lines, ...lines]);
  return [...blocks.slice(0, -1), { ...grown, key: last.key }];
}

/** A line that a gap cuts off ends there. */
function ended(text: LogText): readonly LogBlock[] {
  return text.rest === '' ? text.blocks : withLines(text.blocks, text.next, [readable(text.rest)]);
}

function bounded(text: LogText): LogText {
  let size = text.blocks.reduce((sum, block) => sum + block.size, 0);
  let drop = 0;
  while (size > kMostHeld && drop < text.blocks.length - 1) size -= text.blocks[drop++]!.size;
  if (drop === 0) return text;
  const blocks = text.blocks.slice(drop);
  return { ...text, blocks, from: blocks[0]!.start, first: blocks[0]!.lines[0] ?? '' };
}

/** With what comes behind it. */
export function appended(text: LogText, part: LogPart): LogText {
  const begins = text.blocks.length === 0 && text.rest === '';
  const skipped = begins ? 0 : part.from - text.next;
  let { blocks, rest } = text;
  if (skipped > 0 || part.left_out_bytes > 0) {
    blocks = ended(text);
    rest = '';
  }
  if (skipped > 0) blocks = [...blocks, gapOf(text.next, { kind: 'skipped', bytes: skipped })];
  if (part.left_out_bytes > 0) blocks = [...blocks, gapOf(part.from, { kind: 'left_out', bytes: part.left_out_bytes })];
  const lines = (rest + part.text).split('\n');
  const next: LogText = {
    blocks: withLines(blocks, part.from + part.left_out_bytes, lines.slice(0, -1).map(readable)),
    rest: lines.at(-1)!,
    first: begins ? lines[0]! : text.first,
    from: begins ? part.from : text.from,
    next: part.next,
    whole: part.whole,
  };
  return bounded(next);
}

/** With what comes before it: `part` ends where the text begins. */
export function prepended(text: LogText, part: LogPart): LogText {
  const lines = part.text.split('\n');
  const [head, ...others] = text.blocks;
  const start = part.from + part.left_out_bytes;
  const gap = part.left_out_bytes > 0 ? [gapOf(part.from, { kind: 'left_out', bytes: part.left_out_bytes })] : [];
  const cut = lines.pop()!;
  const earlier = lines.length > 0 ? [blockOf(start, lines.map(readable))] : [];
  const first = lines[0] ?? cut + text.first;
  const known = { ...text, from: part.from, first };
  if (!head) return { ...known, blocks: [...gap, ...earlier], rest: cut + text.rest };
  if (head.gap) {
    const all = cut === '' ? earlier : [...withLines(earlier, start, [readable(cut)])];
    return { ...known, blocks: [...gap, ...all, ...text.blocks] };
  }
  const joined = { ...head, lines: [readable(cut + text.first), ...head.lines.slice(1)] };
  return { ...known, blocks: [...gap, ...earlier, joined, ...others] };
}

export interface LogMatch {
  /** Key of the block. */
  block: number;
  line: number;
  /** Among those of the block. */
  index: number;
}

/** More of them nobody steps through. */
export const kMostMatches = 2000;

/** Beginnings of a text within another, whatever the case. */
export function placesOf(line: string, query: string): number[] {
  const places: number[] = [];
  const text = line.toLowerCase();
  const wanted = query.toLowerCase();
  // Lower case can be of another length; such a line is searched as it stands.
  const [where, what] = text.length === line.length ? [text, wanted] : [line, query];
  for (let at = where.indexOf(what); what !== '' && at >= 0; at = where.indexOf(what, at + what.length))
    places.push(at);
  return places;
}

/** Where the held text has a word; kMostMatches at most. */
export function matchesOf(blocks: readonly LogBlock[], query: string): LogMatch[] {
  const found: LogMatch[] = [];
  if (query === '') return found;
  for (const { key, lines } of blocks) {
    let index = 0;
    for (let line = 0; line < lines.length; ++line) {
      for (const _ of placesOf(lines[line]!, query)) {
        found.push({ block: key, line, index: index++ });
        if (found.length === kMostMatches) return found;
      }
    }
  }
  return found;
}
