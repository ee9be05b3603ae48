import { useEffect, useRef, useState } from 'preact/hooks';
import type { IncidentNews } from '../api/types.ts';
import { kParts, hashOfPart, placeOfHash, type LivePlace } from '../place.ts';
import type { Service } from '../state/service.ts';
import { useStore } from '../state/store.ts';
import { zoneText } from '../text/format.ts';
import { problemText } from '../text/problem_text.ts';
import { texts } from '../text/texts.ts';
import { ConfigView } from './config_view.tsx';
import { GpuDetail } from './gpu_detail.tsx';
import { GpusView } from './gpus_view.tsx';
import { HelpDialog } from './help_dialog.tsx';
import { IncidentsView } from './incidents_view.tsx';
import { LiveHeader } from './live_header.tsx';
import { Boundary } from './boundary.tsx';
import { ProcessesView } from './processes_view.tsx';
import { listenToKeys } from './shortcuts.ts';
import { TasksView } from './tasks/tasks_view.tsx';
import { WasteView } from './waste_view.tsx';

function usePlace(): LivePlace {
  const [place, setPlace] = useState(() => placeOfHash(location.hash));
  useEffect(() => {
    const read = () => setPlace(placeOfHash(location.hash));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return place;
}

/** Everything behind the sign-in. */
export function LivePage({ service, signOut }: { service: Service; signOut: () => void }) {
  const place = usePlace();
  const [help, setHelp] = useState(false);
  const main = useRef<HTMLElement>(null);
  // A filter behind a question mark changes what is listed, not where the reader is.
  const shown = `${place.part}/${place.detail?.split('?')[0] ?? ''}`;
  useEffect(() => listenToKeys(() => setHelp(true)), []);
  useEffect(() => scrollTo(0, 0), [shown]);
  return (
    <div class="live">
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        {texts.skip}
      </a>
      <LiveHeader service={service} signOut={signOut} showHelp={() => setHelp(true)} />
      <Navigation place={place} service={service} />
      <Trouble service={service} />
      <main ref={main} tabIndex={-1} id="content">
        <Boundary key={shown}>
          <Part place={place} service={service} />
        </Boundary>
      </main>
      <footer class="muted">{texts.zone(zoneText(new Date()))}</footer>
      <Announcer service={service} />
      {help && <HelpDialog close={() => setHelp(false)} />}
    </div>
  );
}

function Navigation({ place, service }: { place: LivePlace; service: Service }) {
  const open = useStore(service.openIncidents).length;
  return (
    <nav class="tabs" aria-label={texts.navigation}>
      {kParts.map((part) => (
        <a key={part} href={hashOfPart(part)} aria-current={part === place.part ? 'page' : undefined}>
          {texts.parts[part]}
          {part === 'incidents' && open > 0 ? <span class="count">{open}</span> : null}
        </a>
      ))}
    </nav>
  );
}

/** The last call failed: what is shown may be old. */
function Trouble({ service }: { service: Service }) {
  const trouble = useStore(service.trouble);
  const host = useStore(service.host);
  return (
    <>
      {trouble !== null && (
        <p class="banner" role="alert">
          {problemText(trouble)}{' '}
          <button type="button" onClick={() => void service.reload()}>
            {texts.problem.retry}
          </button>
        </p>
      )}
      {host?.source_trouble && (
        <p class="banner" role="alert">
          <bdi>{texts.header.sourceTrouble(host.source_trouble)}</bdi>
        </p>
      )}
      {host?.simulated && <p class="banner quiet">{texts.simulatedLong}</p>}
    </>
  );
}

function Part({ place, service }: { place: LivePlace; service: Service }) {
  switch (place.part) {
    case 'gpus':
      return place.detail === null ? (
        <GpusView service={service} />
      ) : (
        <GpuDetail service={service} gpu={place.detail} />
      );
    case 'tasks':
      return <TasksView service={service} detail={place.detail} />;
    case 'incidents':
      return <IncidentsView service={service} />;
    case 'processes':
      return <ProcessesView service={service} />;
    case 'waste':
      return <WasteView service={service} />;
    case 'configuration':
      return <ConfigView service={service} />;
  }
}

/** Reads new and cleared incidents aloud, wherever the reader is. */
function Announcer({ service }: { service: Service }) {
  const news = useStore(service.incidentNews);
  const [told, setTold] = useState<IncidentNews | null>(null);
  useEffect(() => {
    if (news?.change === 'opened' || news?.change === 'cleared') setTold(news);
  }, [news]);
  return (
    <p class="unseen" role="status">
      {told?.change === 'opened' && texts.news.opened(texts.severity[told.incident.severity], told.incident.summary)}
      {told?.change === 'cleared' && texts.news.cleared(told.incident.summary)}
    </p>
  );
}
