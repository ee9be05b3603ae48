import './findings.css';
import type { Diagnosis } from '../data/format.ts';
import { FindingCard } from './finding_card.tsx';
import { abstentionsOf, explainedText, foldedText, hasLimits, headlineText, judgedText } from './finding_text.ts';
import { Name } from '../page/name.tsx';

interface FindingsProps {
  diagnosis: Diagnosis;
  profile: number;
  leads: boolean;
}

/** All that was found in one profile, the costliest first, and what could not be concluded. */
export function FindingsView({ diagnosis, profile, leads }: FindingsProps) {
  const judged = judgedText(diagnosis);
  const headline = headlineText(diagnosis);
  const explained = explainedText(diagnosis);
  return (
    <section class="findings" aria-labelledby={`findings-${profile}`}>
      <h2 id={`findings-${profile}`}>
        Findings{' '}
        {judged ? (
          <small>
            in <Name text={judged} most={100} />
          </small>
        ) : null}
      </h2>
      {diagnosis.recorder?.notes.map((note) => (
        <p class="finding-note" key={note.id}>
          {note.says}
        </p>
      ))}
      {headline ? (
        <p>
          <Name text={headline} most={1200} />
        </p>
      ) : null}
      <FindingList diagnosis={diagnosis} profile={profile} leads={leads} folded={false} />
      {diagnosis.findings.some((finding) => finding.folded) ? (
        <details class="folded-findings">
          <summary>Also seen, with little to gain or nothing to do but to measure: {foldedText(diagnosis)}</summary>
          <FindingList diagnosis={diagnosis} profile={profile} leads={leads} folded={true} />
        </details>
      ) : null}
      {explained ? <p class="finding-note">{explained}</p> : null}
      <Limits diagnosis={diagnosis} />
    </section>
  );
}

/** Findings that are folded, or those that are not. A card is known by its place among all. */
function FindingList({ diagnosis, profile, leads, folded }: FindingsProps & { folded: boolean }) {
  return (
    <ol class="finding-list">
      {diagnosis.findings.map((finding, i) =>
        finding.folded === folded ? (
          <li key={i}>
            <FindingCard finding={finding} profile={profile} index={i} leads={leads} />
          </li>
        ) : null,
      )}
    </ol>
  );
}

/** What was not looked at: the diagnosis says nothing about it. */
export function Limits({ diagnosis }: { diagnosis: Diagnosis }) {
  const abstentions = abstentionsOf(diagnosis);
  if (!hasLimits(diagnosis)) return null;
  return (
    <div class="limits">
      {diagnosis.not_recorded.length > 0 ? (
        <>
          <h3>Not analyzed because not recorded</h3>
          <ul>
            {diagnosis.not_recorded.map((what) => (
              <li key={what}>{what}</li>
            ))}
          </ul>
        </>
      ) : null}
      {abstentions.length > 0 ? (
        <>
          <h3>No conclusion</h3>
          <ul>
            {abstentions.map(({ says, rules }) => (
              <li key={says}>
                <Name text={says} most={600} /> <span class="rules">({rules.join(', ')})</span>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  );
}
