import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** CSS pixels between the margins of a sheet of A4 or Letter. */
const kPaperWidth = 680;

/** The width that an element has now, in CSS pixels; for the printer that of paper, where no observer reports. */
export function useWidth<T extends HTMLElement>(fallback = 640): [RefObject<T | null>, number] {
  const ref = useRef<T>(null);
  const [width, setWidth] = useState(fallback);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = () => {
      if (element.clientWidth > 0) setWidth(element.clientWidth);
    };
    measure();
    const observer = new ResizeObserver(measure);
    const onPaper = () => setWidth((now) => Math.min(now, kPaperWidth));
    observer.observe(element);
    addEventListener('beforeprint', onPaper);
    addEventListener('afterprint', measure);
    return () => {
      observer.disconnect();
      removeEventListener('beforeprint', onPaper);
      removeEventListener('afterprint', measure);
    };
  }, []);
  return [ref, width];
}
