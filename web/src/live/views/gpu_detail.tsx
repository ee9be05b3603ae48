import { DataTable } from '../../tables/data_table.tsx';
import { ApiProblem } from '../api/problem.ts';
import type { Gpu } from '../api/types.ts';
import { hashOfPart } from '../place.ts';
import type { Service } from '../state/service.ts';
import { useStore } from '../state/store.ts';
import { useLoad } from '../state/use_load.ts';
import { moment } from '../text/format.ts';
import { problemText } from '../text/problem_text.ts';
import { texts } from '../text/texts.ts';
import { HealthBadge, QualityMark, SimulatedBadge, ThrottleText, Uuid } from './badges.tsx';
import { AllValues, HardwareFacts } from './gpu_facts.tsx';
import { GpuMetrics } from './gpu_metrics.tsx';
import { GpuTasks } from './gpu_tasks.tsx';
import { Clocks, GpuName } from './gpus_view.tsx';
import { HistorySection } from './history_section.tsx';
import { IncidentList } from './incident_list.tsx';
import { processColumns } from './process_columns.ts';

/** Whether `name` is the GPU's UUID, id or number. */
const isNamed = (gpu: Gpu, name: string): boolean => [gpu.uuid, gpu.id, String(gpu.index)].includes(name);

/** ms; more often nobody reads numbers. */
const kEvery = 2000;

/** All of one GPU. */
export function GpuDetail({ service, gpu: name }: { service: Service; gpu: string }) {
  const host = useStore(service.host);
  const samples = useStore(service.samples);
  const known = host?.gpus.find((gpu) => isNamed(gpu, name)) ?? null;
  const version = samples === 0 ? 0 : Math.floor(Date.now() / kEvery);
  const loaded = useLoad(service, name, version, () => service.client.gpu(name));
  const gpu = loaded.value ?? known;
  const missing = loaded.error instanceof ApiProblem && loaded.error.status === 404;
  return (
    <article class="gpu-detail">
      <p>
        <a href={hashOfPart('gpus')}>← {texts.detail.back}</a>
      </p>
      {missing && <p class="part-error">{texts.detail.missing(name)}</p>}
      {!missing && loaded.error ? <p class="part-error">{problemText(loaded.error)}</p> : null}
      {!gpu && !loaded.error ? <p class="waiting">{texts.loading}</p> : null}
      {gpu && !missing ? <Content service={service} gpu={gpu} /> : null}
    </article>
  );
}

function Content({ service, gpu }: { service: Service; gpu: Gpu }) {
  const sparks = useStore(service.sparks);
  return (
    <>
      <div class="gpu-head">
        <h2>
          <GpuName gpu={gpu} />
        </h2>
        <span class="gpu-badges">
          <HealthBadge health={gpu.health} />
          <SimulatedBadge of={gpu} />
          <Uuid uuid={gpu.uuid} />
          <span class="muted">{moment(gpu.moment)}</span>
        </span>
      </div>
      <QualityMark gpu={gpu} />
      {gpu.failure && (
        <p class="part-error">
          <bdi>{texts.detail.failure(gpu.failure.kind, gpu.failure.message)}</bdi>
        </p>
      )}
      <GpuMetrics gpu={gpu} spark={sparks.get(gpu.uuid)} />
      <p class="gpu-foot">
        <Clocks gpu={gpu} />
        <ThrottleText gpu={gpu} />
      </p>
      <HistorySection service={service} gpu={gpu} />
      <GpuTasks service={service} gpu={gpu} />
      <OwnIncidents service={service} gpu={gpu} />
      <Processes gpu={gpu} />
      <HardwareFacts gpu={gpu} />
      <AllValues gpu={gpu} />
    </>
  );
}

function OwnIncidents({ service, gpu }: { service: Service; gpu: Gpu }) {
  const news = useStore(service.incidentNews);
  const resets = useStore(service.resets);
  const version = (news?.incident.id ?? 0) + resets + gpu.incidents.length;
  const loaded = useLoad(service, gpu.uuid, version + (news ? Date.parse(news.incident.last_seen) : 0), () =>
    service.client.incidents('all', null, gpu.uuid),
  );
  return (
    <section aria-labelledby="own-incidents">
      <h3 id="own-incidents">{texts.detail.incidents}</h3>
      {loaded.error ? <p class="part-error">{problemText(loaded.error)}</p> : null}
      {loaded.value && (
        <IncidentList service={service} incidents={loaded.value.incidents} empty={texts.incidents.none} />
      )}
    </section>
  );
}

function Processes({ gpu }: { gpu: Gpu }) {
  if (gpu.processes === null) return <p class="muted">{texts.processes.unknown}</p>;
  const { columns } = processColumns([gpu]);
  if (gpu.processes.length === 0)
    return (
      <section>
        <h3>{texts.detail.processes}</h3>
        <p>{texts.processes.none}</p>
      </section>
    );
  return <DataTable caption={texts.detail.processes} columns={columns} />;
}
