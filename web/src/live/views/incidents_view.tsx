import { useEffect, useState } from 'preact/hooks';
import { Select } from '../../charts/chart_frame.tsx';
import type { Incident } from '../api/types.ts';
import { withIncident, worstFirst } from '../state/host_state.ts';
import type { Service } from '../state/service.ts';
import { useStore } from '../state/store.ts';
import { useLoad } from '../state/use_load.ts';
import { texts } from '../text/texts.ts';
import { choicesOf, SearchField } from './gpus_view.tsx';
import { IncidentList } from './incident_list.tsx';
import { Problem } from './loading.tsx';

type State = keyof typeof texts.incidents.states;

interface Filter {
  severity: string;
  /** UUID, or "all". */
  gpu: string;
  text: string;
}

/** Whether the filter lets an incident pass. */
export function passes(incident: Incident, filter: Filter): boolean {
  const { severity, gpu, text } = filter;
  const words = [
    incident.summary,
    incident.action,
    incident.detector,
    incident.subject,
    `xid ${incident.xids.join(' ')}`,
  ];
  return (
    (severity === 'all' || incident.severity === severity) &&
    (gpu === 'all' || incident.gpu_uuid === gpu) &&
    words.join('\n').toLowerCase().includes(text.trim().toLowerCase())
  );
}

/** Past incidents as far as they were asked for, and what came meanwhile. */
function useIncidents(service: Service, state: State) {
  const open = useStore(service.openIncidents);
  const news = useStore(service.incidentNews);
  const resets = useStore(service.resets);
  const [older, setOlder] = useState<readonly Incident[]>([]);
  const [before, setBefore] = useState<number | null>(null);
  const [error, setError] = useState<unknown>(null);
  const first = useLoad(service, state, resets, () => service.client.incidents('all'));
  useEffect(() => {
    setOlder([]);
    setBefore(first.value?.next_before ?? null);
  }, [first.value]);
  const askOlder = async () => {
    try {
      const page = await service.client.incidents('all', before);
      setOlder([...older, ...page.incidents]);
      setBefore(page.next_before);
      setError(null);
    } catch (problem) {
      service.failed(problem);
      setError(problem);
    }
  };
  const [seen, setSeen] = useState<readonly Incident[]>([]);
  useEffect(() => {
    if (news) setSeen((list) => withIncident(list, news.incident));
  }, [news]);
  const past = [...(first.value?.incidents ?? []), ...older];
  const all = [...open, ...seen].reduce<readonly Incident[]>(withIncident, past);
  const list = state === 'open' ? [...open].sort(worstFirst) : all;
  const loading = state === 'all' && first.value === null && !first.error;
  return {
    list,
    loading,
    error: error ?? (state === 'all' ? first.error : null),
    askOlder,
    hasOlder: state === 'all' && before !== null,
  };
}

export function IncidentsView({ service }: { service: Service }) {
  const host = useStore(service.host);
  const [state, setState] = useState<State>('open');
  const [filter, setFilter] = useState<Filter>({ severity: 'all', gpu: 'all', text: '' });
  const { list, loading, error, askOlder, hasOlder } = useIncidents(service, state);
  const shown = list.filter((incident) => passes(incident, filter));
  const { incidents: text } = texts;
  const gpus = [
    { key: 'all', title: text.allGpus },
    ...(host?.gpus ?? []).map(({ uuid, id, name }) => ({ key: uuid, title: `${id} ${name ?? ''}` })),
  ];
  return (
    <section aria-labelledby="incidents-heading">
      <div class="tools">
        <h2 id="incidents-heading">{text.heading}</h2>
        <span class="muted" role="status">
          {text.count(shown.length, list.length)}
        </span>
        <Select
          label={text.state}
          choices={choicesOf(text.states)}
          value={state}
          onChoose={(key) => setState(key as State)}
        />
        <Select
          label={text.severity}
          choices={choicesOf(text.severities)}
          value={filter.severity}
          onChoose={(severity) => setFilter({ ...filter, severity })}
        />
        <Select label={text.gpu} choices={gpus} value={filter.gpu} onChoose={(gpu) => setFilter({ ...filter, gpu })} />
        <SearchField label={text.filter} text={filter.text} onText={(words) => setFilter({ ...filter, text: words })} />
      </div>
      <Problem of={error} />
      {loading ? (
        <p class="waiting">{texts.loading}</p>
      ) : (
        <IncidentList service={service} incidents={shown} empty={list.length > 0 ? text.noMatch : text.none} />
      )}
      {hasOlder && (
        <button type="button" onClick={() => void askOlder()}>
          {text.older}
        </button>
      )}
    </section>
  );
}
