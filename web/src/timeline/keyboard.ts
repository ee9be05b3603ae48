/** Keys as people know them from Perfetto and Nsight. Pure. */
export type Command =
  | 'zoom-in'
  | 'zoom-out'
  | 'pan-left'
  | 'pan-right'
  | 'scroll-up'
  | 'scroll-down'
  | 'page-up'
  | 'page-down'
  | 'focus-selection'
  | 'show-all'
  | 'clear'
  | 'keys'
  | 'next-slice'
  | 'previous-slice'
  | 'row-below'
  | 'row-above'
  | 'next-same'
  | 'previous-same'
  | 'select-all'
  | 'search'
  | 'step-into'
  | 'note'
  | 'pin-row'
  | 'hide-row'
  | 'move-row-up'
  | 'move-row-down';

export interface KeyPress {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

const kPlain: Record<string, Command> = {
  w: 'zoom-in',
  '+': 'zoom-in',
  '=': 'zoom-in',
  s: 'zoom-out',
  '-': 'zoom-out',
  _: 'zoom-out',
  a: 'pan-left',
  arrowleft: 'pan-left',
  d: 'pan-right',
  arrowright: 'pan-right',
  arrowup: 'scroll-up',
  arrowdown: 'scroll-down',
  pageup: 'page-up',
  pagedown: 'page-down',
  f: 'focus-selection',
  home: 'show-all',
  '0': 'show-all',
  escape: 'clear',
  '?': 'keys',
  '.': 'next-slice',
  ',': 'previous-slice',
  ']': 'next-same',
  '[': 'previous-same',
  '/': 'search',
  enter: 'step-into',
  n: 'note',
  p: 'pin-row',
  h: 'hide-row',
  u: 'move-row-up',
  j: 'move-row-down',
};

const kWithControl: Record<string, Command> = { a: 'select-all', f: 'search' };
const kWithAlt: Record<string, Command> = {
  arrowright: 'next-slice',
  arrowleft: 'previous-slice',
  arrowdown: 'row-below',
  arrowup: 'row-above',
};

export function commandOf(press: KeyPress): Command | null {
  const key = press.key.toLowerCase();
  if (press.ctrlKey || press.metaKey) return press.altKey ? null : (kWithControl[key] ?? null);
  if (press.altKey) return kWithAlt[key] ?? null;
  return kPlain[key] ?? null;
}

/** Commands that go on for as long as their key is held. */
export const kHeld: Partial<Record<Command, { pan: number; zoom: number }>> = {
  'zoom-in': { pan: 0, zoom: -1 },
  'zoom-out': { pan: 0, zoom: 1 },
  'pan-left': { pan: -1, zoom: 0 },
  'pan-right': { pan: 1, zoom: 0 },
};

/** For the dialog: keys and what they do. */
export const kKeyHelp: [keys: string, what: string][] = [
  ['W  S', 'zoom in, out at the pointer'],
  ['+  −', 'zoom in, out at the center'],
  ['A  D  ←  →', 'move left, right'],
  ['↑  ↓  Page Up  Page Down', 'scroll through the tracks'],
  ['0  Home', 'show the whole run'],
  ['F', 'show the selection'],
  ['.  ,   Alt+→  Alt+←', 'next, previous slice of the row'],
  ['Alt+↓  Alt+↑', 'go to the slice in the row below, above'],
  [']  [', 'next, previous slice of the same name'],
  ['Enter', 'go from a call to its GPU work and back; on a heading: fold it'],
  ['/  Ctrl+F', 'search; Enter and Shift+Enter: next and previous match'],
  ['Ctrl+A', 'select everything and show sums'],
  ['N', 'write a note on the selection or the middle of the view'],
  ['P  H', 'pin or unpin, hide the row of the selection'],
  ['U  J', 'move the row of the selection up, down'],
  ['Escape', 'clear selection and marks'],
  ['Ctrl+wheel', 'zoom at the pointer'],
  ['Shift+wheel', 'move left, right'],
  ['Drag', 'select a span and show sums; on the time axis: zoom to it'],
  ['Shift+drag, middle button', 'move'],
  ['Double click', 'zoom to a slice'],
];
