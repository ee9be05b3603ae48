import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** Each part keeps how far it was scrolled; the keyboard goes on in the part that comes into view. */
export function useScrollOfPart(part: string): void {
  const positions = useRef(new Map<string, number>());
  const shown = useRef(part);
  useEffect(() => {
    history.scrollRestoration = 'manual';
    const keep = () => void positions.current.set(shown.current, scrollY);
    addEventListener('scroll', keep, { passive: true });
    return () => removeEventListener('scroll', keep);
  }, []);
  useLayoutEffect(() => {
    if (shown.current === part) return;
    shown.current = part;
    scrollTo(0, positions.current.get(part) ?? 0);
    // The timeline takes the keys when nothing else has the focus.
    if (part !== 'timeline' && document.activeElement === document.body)
      document.getElementById(`part-${part}`)?.focus({ preventScroll: true });
  }, [part]);
}
