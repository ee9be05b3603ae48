import type { Evidence, Finding } from '../data/format.ts';
import { Name } from '../page/name.tsx';
import { hashOfEvidence } from '../page/place.ts';
import { cutMiddle } from '../text/names.ts';
import { countText, momentText, timeText } from '../text/units.ts';
import { Sentence } from './sentence.tsx';
import { ceilingNote, ceilingText, durationOf, evidencePlaceText, likelyText, shareText } from './finding_text.ts';

/** A sentence can name a kernel of thousands of characters. */
const kMostSaid = 600;
const kEvidenceShown = 3;

export interface FindingCardProps {
  finding: Finding;
  /** Index of ReportDocument.profiles and of Diagnosis.findings. */
  profile: number;
  index: number;
  /** Where there is a timeline to lead to. */
  leads: boolean;
  /** What stands instead of the ceiling, where two profiles are compared. */
  change?: string | undefined;
}

/** What is wrong, what it costs at most, what to do, and where it shows. */
export function FindingCard({ finding, profile, index, leads, change }: FindingCardProps) {
  const note = ceilingNote(finding);
  return (
    <article class="finding" id={`finding-${profile}-${index}`}>
      <div class="finding-rank" aria-hidden="true">
        {index + 1}
      </div>
      <Ceiling finding={finding} change={change} />
      <div class="finding-body">
        <h3>
          <Sentence finding={finding} most={kMostSaid} />
        </h3>
        <p class="finding-do">
          <bdi>{cutMiddle(finding.do, 2000)}</bdi>
        </p>
        {note ? <p class="finding-note">{note}</p> : null}
        <EvidenceList finding={finding} profile={profile} index={index} leads={leads} />
        {finding.not_recorded.length > 0 ? (
          <p class="finding-note">Additional data that was not recorded: {finding.not_recorded.join(', ')}.</p>
        ) : null}
      </div>
    </article>
  );
}

function Ceiling({ finding, change }: { finding: Finding; change: string | undefined }) {
  const percent = Math.max(0, Math.min(100, finding.ceiling_percent));
  return (
    <div class="finding-ceiling">
      <div class="ceiling-time">{change ?? ceilingText(finding)}</div>
      {finding.takes_time ? (
        <>
          <div class={finding.reachable ? 'ceiling-bar' : 'ceiling-bar mere-bound'} aria-hidden="true">
            <span style={{ width: `${percent}%` }} />
          </div>
          <div class="ceiling-share">{shareText(finding)} of the time</div>
          {finding.likely ? <div class="ceiling-share">{likelyText(finding)}</div> : null}
        </>
      ) : null}
      <code class="finding-id">{finding.id}</code>
    </div>
  );
}

function EvidenceList({ finding, profile, index, leads }: Omit<FindingCardProps, 'change'>) {
  if (finding.evidence.length === 0) return null;
  const items = finding.evidence.map((evidence, i) => (
    <li key={i}>
      <EvidenceLink
        evidence={evidence}
        href={leads ? hashOfEvidence({ profile, finding: index, evidence: i }) : null}
      />
    </li>
  ));
  const rest = items.length - kEvidenceShown;
  return (
    <>
      <ul class="evidence" aria-label="Evidence, largest first">
        {items.slice(0, kEvidenceShown)}
      </ul>
      {rest > 0 ? (
        <details class="evidence-more">
          <summary>{countText(rest)} more</summary>
          <ul class="evidence">{items.slice(kEvidenceShown)}</ul>
        </details>
      ) : null}
    </>
  );
}

function EvidenceLink({ evidence, href }: { evidence: Evidence; href: string | null }) {
  const text = (
    <>
      <span class="evidence-time">{timeText(durationOf(evidence))}</span>{' '}
      <span>
        {evidence.launch === undefined ? `at ${momentText(evidence.start_ns, 1e6)}` : `launch ${evidence.launch}`}
      </span>{' '}
      <span class="evidence-place">
        on <Name text={evidencePlaceText(evidence)} most={70} />
      </span>
    </>
  );
  return href ? (
    <a href={href} title="Show on the timeline">
      {text}
    </a>
  ) : (
    <span>{text}</span>
  );
}
