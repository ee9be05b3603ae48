import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { PartBoundary } from './part.tsx';

interface PartProps {
  id: string;
  title: string;
  shown: boolean;
  printing: boolean;
  missing: string | null;
  children: ComponentChildren;
}

/** Only what is shown is in the document, but for the timeline, which keeps its place once it was opened. */
export function Part({ id, title, shown, printing, missing, children }: PartProps) {
  const opened = useRef(false);
  opened.current ||= shown;
  const printed = printing && missing === null;
  const mounted = shown || (id === 'timeline' ? opened.current : printed);
  const onPaper = id === 'timeline' ? 'part no-print' : 'part';
  return (
    <section
      id={`part-${id}`}
      class={onPaper}
      role="tabpanel"
      aria-labelledby={`tab-${id}`}
      tabIndex={-1}
      hidden={!shown && !printed}
    >
      <h2 class="print-title">{title}</h2>
      <PartBoundary>{!mounted ? null : missing === null ? children : <p>Not available: {missing}.</p>}</PartBoundary>
    </section>
  );
}
