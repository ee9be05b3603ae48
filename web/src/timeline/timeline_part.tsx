import { EvidenceBanner } from '../findings/evidence_banner.tsx';
import type { ViewProps } from '../page/part_row.ts';
import { TimelineView } from './timeline_view.tsx';

/** The timeline, below the evidence that led to it. */
export function TimelinePart({ report, place, focus }: ViewProps) {
  return (
    <>
      {place.evidence ? <EvidenceBanner report={report} at={place.evidence} /> : null}
      <div class="timeline-room">
        <TimelineView report={report} focus={focus} state={place.timeline} />
      </div>
    </>
  );
}
