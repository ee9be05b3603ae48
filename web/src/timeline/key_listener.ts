import { holdKey, obey } from './commands.ts';
import { commandOf, type Command } from './keyboard.ts';
import type { Timeline } from './timeline.ts';

/** In the panel these keys are the browser's own. */
const kScrolling = new Set<Command>(['scroll-up', 'scroll-down', 'page-up', 'page-down']);

/** So are these where the page itself scrolls and the focus is nowhere. */
const kOfPage = new Set<Command>([...kScrolling, 'show-all', 'step-into']);

const pageScrolls = (): boolean => document.documentElement.scrollHeight > innerHeight;

/** Most of it is on the screen. */
function isInSight(element: HTMLElement): boolean {
  const { top, bottom, height } = element.getBoundingClientRect();
  return height > 0 && Math.min(bottom, innerHeight) - Math.max(top, 0) > height / 2;
}

const types = (element: Element | null): boolean =>
  element !== null && /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName) && element.getAttribute('type') !== 'button';

/** Keys count where the focus is in the timeline or nowhere. */
export function listenToKeys(
  timeline: Timeline,
  host: HTMLElement,
  field: { current: HTMLInputElement | null },
  showKeys: () => void,
  writeNote: () => void,
): () => void {
  const gone = new AbortController();
  const { signal } = gone;
  const { model } = timeline;
  const isOurs = () => {
    const focused = document.activeElement;
    if (focused === null || focused === document.body) return isInSight(host);
    return host.contains(focused) && !types(focused);
  };
  const press = (event: KeyboardEvent) => {
    const command = isOurs() ? commandOf(event) : null;
    if (!command || event.defaultPrevented) return;
    if (kOfPage.has(command) && !host.contains(document.activeElement) && pageScrolls()) return;
    if (kScrolling.has(command) && document.activeElement?.closest('.tl-panel')) return;
    if (command === 'step-into' && document.activeElement?.tagName === 'BUTTON') return;
    event.preventDefault();
    if (command === 'search') return field.current?.focus();
    if (command === 'keys') return showKeys();
    if (command === 'note') return writeNote();
    if (event.repeat && model.motion.holds(event.code)) return;
    obey(model, command, performance.now());
    holdKey(model, event.code, command, performance.now());
  };
  document.addEventListener('keydown', press, { signal });
  document.addEventListener('keyup', (event) => model.motion.release(event.code), { signal });
  window.addEventListener('blur', () => model.motion.releaseAll(), { signal });
  return () => gone.abort();
}
