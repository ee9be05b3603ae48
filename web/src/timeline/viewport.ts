/** Time and pixels: a view is a span of time, shown over a width. Pure. */

export interface Span {
  start: number;
  end: number;
}

/** ns; below this nothing is left to tell apart. */
export const kShortestView = 20;
/** Room left and right of the whole run. */
const kRoom = 0.01;
/** A focused span takes this share of the width. */
const kFocusShare = 1 / 3;
const kShortestFocus = 2000;

export const lengthOf = (span: Span): number => span.end - span.start;
export const xOf = (view: Span, width: number, time: number): number => ((time - view.start) / lengthOf(view)) * width;
export const timeAt = (view: Span, width: number, x: number): number => view.start + (x / width) * lengthOf(view);

/** The whole run with a little room. */
export function wholeView(bounds: Span): Span {
  const room = kRoom * Math.max(lengthOf(bounds), kShortestView);
  return { start: bounds.start - room, end: bounds.end + room };
}

/**
 * Keeps a view near what there is. When zoomed in, its middle can reach the ends of the run, so that what is there can
 * be centred; when zoomed out it cannot be moved away.
 */
export function clampView(view: Span, bounds: Span): Span {
  const whole = wholeView(bounds);
  const longest = lengthOf(whole);
  const length = Math.min(longest, Math.max(kShortestView, lengthOf(view)));
  const beyond = 0.5 * length * (1 - length / longest);
  const middle = (view.start + view.end) / 2;
  const lowest = whole.start - beyond;
  const highest = whole.end + beyond - length;
  const start = Math.min(Math.max(middle - length / 2, lowest), highest);
  return { start, end: start + length };
}

/** `factor` < 1 shows less; the time `anchor` stays where it is. */
export function zoomView(view: Span, factor: number, anchor: number, bounds: Span): Span {
  const longest = lengthOf(wholeView(bounds));
  const length = Math.min(longest, Math.max(kShortestView, lengthOf(view) * factor));
  const share = (anchor - view.start) / lengthOf(view);
  const start = anchor - share * length;
  return clampView({ start, end: start + length }, bounds);
}

export const panView = (view: Span, by: number, bounds: Span): Span =>
  clampView({ start: view.start + by, end: view.end + by }, bounds);

/** A view with `span` in its middle and room around it. */
export function focusView(span: Span, bounds: Span): Span {
  const length = Math.max(kShortestFocus, lengthOf(span) / kFocusShare);
  const middle = (span.start + span.end) / 2;
  return clampView({ start: middle - length / 2, end: middle + length / 2 }, bounds);
}

/** Between two views, `share` from 0 to 1; a point that is fixed in both stays fixed. */
export const between = (from: Span, to: Span, share: number): Span => ({
  start: from.start + (to.start - from.start) * share,
  end: from.end + (to.end - from.end) * share,
});
