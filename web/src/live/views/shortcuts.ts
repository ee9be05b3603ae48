import { hashOfPart, kParts, placeOfHash } from '../place.ts';

const types = (element: Element | null): boolean =>
  element !== null && /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName) && element.getAttribute('type') !== 'checkbox';

/** Moves the focus among what J and K go through: GPUs, incidents, batches. */
function moveBy(step: number): void {
  const stops = Array.from(document.querySelectorAll<HTMLElement>('[data-stop]'));
  const at = stops.findIndex((stop) => stop === document.activeElement || stop.contains(document.activeElement));
  const next = at < 0 ? (step > 0 ? 0 : stops.length - 1) : at + step;
  const stop = stops[Math.max(0, Math.min(stops.length - 1, next))];
  stop?.focus();
  stop?.scrollIntoView({ block: 'nearest' });
}

function leave(): boolean {
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && types(focused)) {
    focused.blur();
    return true;
  }
  const { part, detail } = placeOfHash(location.hash);
  if (detail === null) return false;
  location.hash = hashOfPart(part);
  return true;
}

function obey(key: string, showHelp: () => void): boolean {
  const part = kParts[Number(key) - 1];
  if (part) location.hash = hashOfPart(part);
  else if (key === '?') showHelp();
  else if (key === '/') document.querySelector<HTMLElement>('main input[type=search]')?.focus();
  else if (key === 'j') moveBy(1);
  else if (key === 'k') moveBy(-1);
  else return key === 'Escape' && leave();
  return true;
}

/** Keys of the whole page; what has the focus comes first, and a field keeps all but Escape. */
export function listenToKeys(showHelp: () => void): () => void {
  const press = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector('dialog[open]')) return;
    if (types(document.activeElement) && event.key !== 'Escape') return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (obey(key, showHelp)) event.preventDefault();
  };
  document.addEventListener('keydown', press);
  return () => document.removeEventListener('keydown', press);
}
