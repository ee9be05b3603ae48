import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Report } from './data/report.ts';
import { findingAt } from './findings/evidence_banner.tsx';
import type { Focus, Navigation } from './navigation.ts';
import { Header } from './page/header.tsx';
import { Part } from './page/page_part.tsx';
import { partsOf, whyMissing } from './page/parts.tsx';
import { hashOfPart, type EvidencePlace, type PagePlace } from './page/place.ts';
import { prepareToPrint, printReport, usePrinting } from './page/printing.ts';
import { Tabs } from './page/tabs.tsx';
import { usePlace } from './page/use_place.ts';
import { useScrollOfPart } from './page/use_scroll.ts';

/** The whole report: what it is of, and its parts, of which one is shown. */
export function ReportPage({ report }: { report: Report }) {
  const place = usePlace();
  const printing = usePrinting();
  const [focus, navigation] = useNavigation(report, place);
  const profiles = report.document.profiles;
  useScrollOfPart(place.part);
  useEffect(() => printWhole(report), [report]);
  useEffect(() => prepareToPrint(report), [report]);
  return (
    <div class={place.part === 'timeline' && !printing ? 'report fills' : 'report'}>
      <a class="skip" href={`#part-${place.part}`} onClick={skipTo(place.part)}>
        Skip to the report
      </a>
      <Header report={report} />
      <Tabs current={place.part} report={report.document} />
      <main>
        {partsOf(report.document).map((part) => (
          <Part
            key={part.id}
            id={part.id}
            title={part.title}
            shown={part.id === place.part}
            printing={printing}
            missing={whyMissing(profiles, part)}
          >
            <part.View report={report} place={place} focus={focus} navigation={navigation} />
          </Part>
        ))}
      </main>
      <p class="print-only">The timeline is not printed. Open the report to see it.</p>
    </div>
  );
}

/** The address stays that of the part. */
const skipTo = (part: string) => (event: Event) => {
  event.preventDefault();
  document.getElementById(`part-${part}`)?.focus();
};

/** Ctrl+P would print before the parts are decoded. */
function printWhole(report: Report): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'p' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void printReport(report);
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}

function focusOfEvidence(report: Report, at: EvidencePlace): Focus | null {
  const evidence = findingAt(report, at)?.evidence[at.evidence];
  if (!evidence) return null;
  return {
    profile: at.profile,
    start_ns: evidence.start_ns,
    end_ns: evidence.end_ns,
    place: evidence.place,
    what: evidence.what ?? undefined,
  };
}

/** Where the timeline has been asked to go, and the way to ask it. */
function useNavigation(report: Report, place: PagePlace): [Focus | null, Navigation] {
  const [focus, setFocus] = useState<Focus | null>(null);
  useEffect(() => {
    const found = place.evidence && focusOfEvidence(report, place.evidence);
    if (found) setFocus(found);
  }, [report, place]);
  const navigation = useMemo<Navigation>(
    () => ({
      showOnTimeline: (wanted) => {
        setFocus({ ...wanted });
        location.hash = hashOfPart('timeline');
      },
    }),
    [],
  );
  return [focus, navigation];
}
