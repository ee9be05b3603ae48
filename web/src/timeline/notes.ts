import type { Span } from './viewport.ts';

/** What readers write on the timeline. It travels with the file: a copy of the page holds it in an element of its own. */

/** At a time of a profile; a moment has no length. */
export interface Note {
  profile: number;
  rank: number;
  start_ns: number;
  end_ns: number;
  text: string;
}

export const kNotesElement = 'sonde-notes';
export const kMostOfNote = 2000;

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;

function noteOf(value: unknown, profiles: number): Note | null {
  const { profile, rank, start_ns, end_ns, text } = (value ?? {}) as Record<string, unknown>;
  if (!isCount(profile) || profile >= profiles || !isCount(rank) || typeof text !== 'string') return null;
  if (!Number.isInteger(start_ns) || !Number.isInteger(end_ns) || (end_ns as number) < (start_ns as number))
    return null;
  return { profile, rank, start_ns: start_ns as number, end_ns: end_ns as number, text: text.slice(0, kMostOfNote) };
}

/** What is no note is left out. */
export function notesOf(json: string, profiles: number): Note[] {
  try {
    const all: unknown = JSON.parse(json);
    return Array.isArray(all) ? inOrder(all.flatMap((value) => noteOf(value, profiles) ?? [])) : [];
  } catch {
    return [];
  }
}

/** JSON that can be in an HTML element, as the program writes it. */
export const jsonOfNotes = (notes: readonly Note[]): string => JSON.stringify(notes).replaceAll('<', '\\u003c');

export const inOrder = (notes: readonly Note[]): Note[] => [...notes].sort((a, b) => a.start_ns - b.start_ns);

/** The note's time on the axis. */
export const spanOfNote = ({ start_ns, end_ns }: Note, shift: number): Span => ({
  start: start_ns + shift,
  end: end_ns + shift,
});

/** "report.html" -> "report_notes.html" */
export function nameOfCopy(path: string): string {
  const last = path.split('/').at(-1) ?? '';
  let name = last;
  try {
    name = decodeURIComponent(last);
  } catch {
    // A "%" of its own.
  }
  const stem = name.replace(/\.html?$/i, '').replace(/_notes$/, '') || 'report';
  return `${stem}_notes.html`;
}
