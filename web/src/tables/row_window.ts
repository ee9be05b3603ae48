/** Which rows of a long table are in the document, and how the keyboard moves over them. */

/** Pixels; the style sheet agrees. */
export const kRowHeight = 24;
/** Rows beyond what is seen, so that scrolling does not show gaps. */
const kSpareRows = 12;
/** Pixels, before the box is measured. */
const kGuessedHeight = 600;

/** [first, last) of the rows to be drawn. */
export function visibleRows(top: number, height: number, rows: number): [first: number, last: number] {
  const last = Math.min(rows, Math.ceil((top + (height || kGuessedHeight)) / kRowHeight) + kSpareRows);
  // A filter can leave fewer rows than were scrolled past.
  return [Math.max(0, Math.min(Math.floor(top / kRowHeight) - kSpareRows, last)), last];
}

const kMoves: Record<string, (at: number, page: number, last: number) => number> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  PageDown: (at, page) => at + page,
  PageUp: (at, page) => at - page,
  Home: () => 0,
  End: (_at, _page, last) => last,
};

/** Where a key leads from row `at`; undefined for keys that do not move. */
export function moveOfKey(key: string, at: number, height: number, rows: number): number | undefined {
  const page = Math.max(1, Math.floor(height / kRowHeight) - 2);
  const to = kMoves[key]?.(at, page, rows - 1);
  return to === undefined ? undefined : Math.max(0, Math.min(rows - 1, to));
}

export function scrollIntoView(scroller: HTMLElement | null, row: number): void {
  if (!scroller) return;
  const header = scroller.querySelector('thead')?.getBoundingClientRect().height ?? 0;
  const from = row * kRowHeight;
  const room = scroller.clientHeight - header;
  if (from < scroller.scrollTop) scroller.scrollTop = from;
  else if (from + kRowHeight > scroller.scrollTop + room) scroller.scrollTop = from + kRowHeight - room;
}
