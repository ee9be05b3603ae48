import './differences.css';
import type { Finding } from '../data/format.ts';
import type { Profile, Report } from '../data/report.ts';
import { FindingCard } from '../findings/finding_card.tsx';
import { Limits } from '../findings/findings_view.tsx';
import { hasLimits, headlineText } from '../findings/finding_text.ts';
import { Name } from '../page/name.tsx';
import { countText } from '../text/units.ts';
import { ceilingsText, groupedPairs, pairedById, silentBecause, type Pairs } from './differences.ts';
import { useDifferences } from './use_differences.ts';

const findingsOf = (profile: Profile): Finding[] => profile.document.diagnosis.findings;

/** Findings that came, went, and stayed. */
export function ComparedFindings({ report }: { report: Report }) {
  const [base, next] = report.profiles as [Profile, Profile];
  const loaded = useDifferences(report);
  const pairs = loaded.state === 'done' ? loaded.value.findings : pairedById(findingsOf(base), findingsOf(next));
  const { added, gone, both } = groupedPairs(pairs);
  return (
    <section class="findings">
      <h2>Findings</h2>
      {pairs.length === 0 ? <p>{headlineText(next.document.diagnosis)}</p> : null}
      <Group title="New" pairs={added} shown={next} other={base} side="new" />
      <Group title="Gone" pairs={gone} shown={base} other={next} side="base" />
      <Group title="In both" pairs={both} shown={next} other={base} side="new" />
      <div class="side-by-side">
        {report.profiles.map(({ index, document }) =>
          hasLimits(document.diagnosis) ? (
            <div key={index}>
              <h3>
                What could not be concluded for <Name text={document.label} most={60} />
              </h3>
              <Limits diagnosis={document.diagnosis} />
            </div>
          ) : null,
        )}
      </div>
    </section>
  );
}

interface GroupProps {
  title: string;
  pairs: Pairs;
  shown: Profile;
  other: Profile;
  side: 'base' | 'new';
}

function Group({ title, pairs, shown, other, side }: GroupProps) {
  if (pairs.length === 0) return null;
  const leads = shown.document.timeline.tracks.length > 0;
  return (
    <>
      <h3 class="finding-group">
        {title} <small>{countText(pairs.length)}</small>
      </h3>
      <ol class="finding-list">
        {pairs.map((pair) => {
          const index = pair[side]!;
          const finding = findingsOf(shown)[index];
          if (!finding) return null;
          const base = pair.base === null ? undefined : findingsOf(side === 'new' ? other : shown)[pair.base];
          const change = base && base !== finding ? ceilingsText(base, finding) : undefined;
          return (
            <li key={`${pair.base}-${pair.new}`}>
              <FindingCard finding={finding} profile={shown.index} index={index} leads={leads} change={change} />
              {pair.base === null || pair.new === null ? <Silence other={other} id={pair.id} /> : null}
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** A side that could not look for a finding has not got rid of it. */
function Silence({ other, id }: { other: Profile; id: string }) {
  const reason = silentBecause(other.document.diagnosis, id);
  return reason === null ? null : (
    <p class="silence">
      {'Not checked in '}
      <Name text={other.document.label} most={40} />: <Name text={reason} most={300} />
    </p>
  );
}
