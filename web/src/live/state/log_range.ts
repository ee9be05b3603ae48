import type { LogPart } from '../api/tasks.ts';

export type AskLog = (from: number, limit: number, follow?: boolean, signal?: AbortSignal) => Promise<LogPart>;

/** Bytes; the service gives no less at a time. */
const kLeast = 4;

/**
 * An answer that begins within what is left out says only how much of that lies behind its beginning: with all of it, which
 * is found by halves.
 */
export async function withWholeGap(ask: AskLog, part: LogPart): Promise<LogPart> {
  if (part.left_out_bytes === 0) return part;
  const end = part.from + part.left_out_bytes;
  let low = 0;
  let high = part.from;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await ask(middle, kLeast)).left_out_bytes > 0) high = middle;
    else low = middle + 1;
  }
  return { ...part, from: high, left_out_bytes: end - high };
}

/** Without what is behind `to`. */
function cutAt(part: LogPart, to: number): LogPart {
  const start = part.from + part.left_out_bytes;
  if (part.next <= to) return part;
  if (start >= to) return { ...part, left_out_bytes: to - part.from, next: to, text: '' };
  const bytes = new TextEncoder().encode(part.text).subarray(0, to - start);
  return { ...part, next: to, text: new TextDecoder().decode(bytes) };
}

/** What was printed between two offsets, or from the beginning of what is left out around the first. */
export async function readRange(ask: AskLog, from: number, to: number): Promise<LogPart[]> {
  const parts: LogPart[] = [];
  for (let at = from; at < to; at = parts.at(-1)!.next) {
    // A limit counts bytes of text: behind a gap it would reach beyond the end.
    let part = await ask(at, Math.max(kLeast, to - at));
    const start = part.from + part.left_out_bytes;
    if (part.left_out_bytes > 0 && part.next > to && start < to) {
      const kept = await ask(start, Math.max(kLeast, to - start));
      part = { ...part, text: kept.text, next: kept.next };
    }
    part = cutAt(part, to);
    if (part.next <= at) break;
    parts.push(parts.length === 0 ? await withWholeGap(ask, part) : part);
  }
  return parts;
}
