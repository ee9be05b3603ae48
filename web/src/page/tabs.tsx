import { useRef } from 'preact/hooks';
import type { ReportDocument } from '../data/format.ts';
import { leaveAfterClick } from './leave_focus.ts';
import { partsOf, whyMissing } from './parts.tsx';
import { hashOfPart } from './place.ts';

const kSteps: Record<string, (at: number) => number> = {
  ArrowRight: (at) => at + 1,
  ArrowLeft: (at) => at - 1,
  Home: () => 0,
  End: () => -1,
};

/** Arrow keys move between the tabs, Enter and the space bar open one. A part that is missing says why. */
export function Tabs({ current, report }: { current: string; report: ReportDocument }) {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const tabs = Array.from(list.current?.querySelectorAll<HTMLElement>('[role=tab]') ?? []);
    const at = tabs.indexOf(event.target as HTMLElement);
    const step = kSteps[event.key];
    if (step) tabs[(step(at) + tabs.length) % tabs.length]?.focus();
    else if (event.key === ' ') tabs[at]?.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="tabs no-print" role="tablist" aria-label="Parts of the report" ref={list} onKeyDown={onKeyDown}>
      {partsOf(report).map((part) => {
        const { id, title } = part;
        const missing = whyMissing(report.profiles, part);
        return (
          <a
            key={id}
            id={`tab-${id}`}
            role="tab"
            {...(missing === null ? { href: hashOfPart(id) } : { 'aria-disabled': true })}
            aria-selected={id === current}
            aria-controls={id === current ? `part-${id}` : undefined}
            tabIndex={id === current ? 0 : -1}
            onClick={leaveAfterClick}
            title={missing === null ? undefined : `Not available: ${missing}`}
          >
            {title}
          </a>
        );
      })}
    </div>
  );
}
