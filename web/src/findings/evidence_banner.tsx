import { useEffect } from 'preact/hooks';
import type { Finding } from '../data/format.ts';
import type { Report } from '../data/report.ts';
import { Sentence } from './sentence.tsx';
import { leaveAfterClick } from '../page/leave_focus.ts';
import { Name } from '../page/name.tsx';
import { hashOfEvidence, hashOfPart, type EvidencePlace } from '../page/place.ts';
import { countText } from '../text/units.ts';
import { otherEvidence } from './evidence_order.ts';

/** The finding that a place belongs to; undefined where the address names none. */
export function findingAt(report: Report, at: EvidencePlace): Finding | undefined {
  return report.profiles[at.profile]?.document.diagnosis.findings[at.finding];
}

const kTyping = 'input, textarea, select, [contenteditable]';

function useKeys(previous: string, next: string): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      if (event.target instanceof Element && event.target.closest(kTyping)) return;
      if (event.key === 'n') location.hash = next;
      if (event.key === 'p') location.hash = previous;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [previous, next]);
}

/** Stands above the timeline when a finding led there: what it says, and the way to its other places. */
export function EvidenceBanner({ report, at }: { report: Report; at: EvidencePlace }) {
  const finding = findingAt(report, at);
  const count = finding?.evidence.length ?? 0;
  const previous = hashOfEvidence(otherEvidence(at, count, -1));
  const next = hashOfEvidence(otherEvidence(at, count, 1));
  useKeys(previous, next);
  if (!finding || !finding.evidence[at.evidence]) return null;
  return (
    <div class="evidence-banner no-print" role="region" aria-label="Finding">
      <strong>
        Finding {countText(at.finding + 1)}
        {report.profiles.length > 1 ? (
          <>
            {' of '}
            <Name text={report.profiles[at.profile]?.document.label ?? ''} most={40} />
          </>
        ) : null}
      </strong>
      <span class="banner-says">
        <Sentence finding={finding} most={220} />
      </span>
      <span class="banner-steps">
        <span role="status">
          {countText(at.evidence + 1)} of {countText(count)}
        </span>
        <a href={previous} onClick={leaveAfterClick} title="Previous place (p)" aria-label="Previous place">
          ◀
        </a>
        <a href={next} onClick={leaveAfterClick} title="Next place (n)" aria-label="Next place">
          ▶
        </a>
        <a href={hashOfPart('overview')}>Back to findings</a>
      </span>
    </div>
  );
}
