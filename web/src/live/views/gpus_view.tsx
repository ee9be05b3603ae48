import { useState } from 'preact/hooks';
import { Select } from '../../charts/chart_frame.tsx';
import { cutMiddle } from '../../text/names.ts';
import { kAbsent } from '../../text/units.ts';
import { memo } from '../../tables/memo.ts';
import type { Gpu } from '../api/types.ts';
import { hashOfGpu, hashOfPart } from '../place.ts';
import type { Service } from '../state/service.ts';
import type { Spark } from '../state/sparks.ts';
import { useQueue } from '../state/use_task.ts';
import { useStore } from '../state/store.ts';
import { mhz, moment, numberOf } from '../text/format.ts';
import { texts } from '../text/texts.ts';
import { HealthBadge, QualityMark, SimulatedBadge, ThrottleText, Uuid } from './badges.tsx';
import { GpuMetrics } from './gpu_metrics.tsx';
import { GpuTasksLink } from './gpu_tasks.tsx';

type Layout = keyof typeof texts.gpus.layouts;
type Shown = keyof typeof texts.gpus.shows;

/** Above this number of cards, one card each is too much to read. */
const kMostCards = 12;

export const choicesOf = (titles: Record<string, string>) =>
  Object.entries(titles).map(([key, title]) => ({ key, title }));

export const hasTrouble = (gpu: Gpu): boolean =>
  gpu.health !== 'ok' || gpu.quality !== 'fresh' || gpu.incidents.length > 0;

const textsOf = (gpu: Gpu): string =>
  [
    gpu.id,
    gpu.name,
    gpu.uuid,
    ...(gpu.processes ?? []).flatMap(({ name, user, pod, container }) => [name, user, pod, container]),
  ]
    .join('\n')
    .toLowerCase();

export function GpusView({ service }: { service: Service }) {
  const host = useStore(service.host);
  const sparks = useStore(service.sparks);
  const queue = useQueue(service);
  const slots = new Map(queue?.gpus.map((one) => [one.uuid, one]));
  const [layout, setLayout] = useState<Layout>('auto');
  const [show, setShow] = useState<Shown>('all');
  const [filter, setFilter] = useState('');
  if (!host) return <p class="waiting">{texts.loading}</p>;
  const { gpus } = host;
  const wanted = filter.trim().toLowerCase();
  const shown = gpus.filter((gpu) => (show === 'all' || hasTrouble(gpu)) && textsOf(gpu).includes(wanted));
  const cards = layout === 'cards' || (layout === 'auto' && gpus.length <= kMostCards);
  return (
    <section aria-labelledby="gpus-heading">
      <div class="tools">
        <h2 id="gpus-heading">{texts.gpus.heading}</h2>
        <span class="muted" role="status">
          {texts.gpus.count(shown.length, gpus.length)}
        </span>
        <Select
          label={texts.gpus.show}
          choices={choicesOf(texts.gpus.shows)}
          value={show}
          onChoose={(key) => setShow(key as Shown)}
        />
        <Select
          label={texts.gpus.layout}
          choices={choicesOf(texts.gpus.layouts)}
          value={layout}
          onChoose={(key) => setLayout(key as Layout)}
        />
        <SearchField label={texts.gpus.filter} text={filter} onText={setFilter} />
      </div>
      {gpus.length === 0 && !host.source_trouble ? <p>{texts.gpus.none}</p> : null}
      {gpus.length > 0 && shown.length === 0 ? <p>{texts.gpus.noMatch}</p> : null}
      <ul class={cards ? 'gpus cards' : 'gpus rows'}>
        {shown.map((gpu) => (
          <GpuCard
            key={gpu.uuid}
            gpu={gpu}
            spark={sparks.get(gpu.uuid)}
            tasks={slots.get(gpu.uuid)?.tasks ?? null}
            reserved={slots.get(gpu.uuid)?.reserved_bytes ?? 0}
          />
        ))}
      </ul>
    </section>
  );
}

export function SearchField({ label, text, onText }: { label: string; text: string; onText: (text: string) => void }) {
  return (
    <input
      type="search"
      placeholder={label}
      aria-label={label}
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  );
}

export const GpuName = ({ gpu }: { gpu: Gpu }) => (
  <>
    <code>{gpu.id}</code> <bdi>{cutMiddle(gpu.name ?? kAbsent, 200)}</bdi>
  </>
);

interface CardProps {
  gpu: Gpu;
  spark: Spark | undefined;
  /** That have the GPU; null where it takes none. */
  tasks: number | null;
  reserved: number;
}

function Card({ gpu, spark, tasks, reserved }: CardProps) {
  const held = gpu.processes?.length ?? 0;
  return (
    <li class={`gpu is-${gpu.health} quality-${gpu.quality}`}>
      <div class="gpu-head">
        <h3>
          <a href={hashOfGpu(gpu.uuid)} data-stop>
            <GpuName gpu={gpu} />
          </a>
        </h3>
        <span class="gpu-badges">
          <HealthBadge health={gpu.health} />
          <SimulatedBadge of={gpu} />
          <Uuid uuid={gpu.uuid} />
        </span>
      </div>
      <GpuMetrics gpu={gpu} spark={spark} />
      <p class="gpu-foot">
        <Clocks gpu={gpu} />
        <ThrottleText gpu={gpu} />
        {tasks !== null && <GpuTasksLink tasks={tasks} reserved={reserved} />}
        {gpu.processes && <a href={hashOfPart('processes')}>{texts.gpus.processes(held)}</a>}
        {gpu.incidents.length > 0 && (
          <a class={`is-${gpu.health}`} href={hashOfPart('incidents')}>
            {texts.gpus.incidents(gpu.incidents.length)}
          </a>
        )}
      </p>
      <QualityMark gpu={gpu} />
      <LastSeen gpu={gpu} />
    </li>
  );
}

const GpuCard = memo(Card);

/** Of when the values are that are not of now. */
function LastSeen({ gpu }: { gpu: Gpu }) {
  const isOld = gpu.quality === 'stale' || gpu.quality === 'absent';
  return isOld && gpu.moment ? <p class="muted gpu-moment">{texts.gpus.lastValue(moment(gpu.moment))}</p> : null;
}

export function Clocks({ gpu }: { gpu: Gpu }) {
  const sm = numberOf(gpu.values['sm_clock_mhz']);
  const memory = numberOf(gpu.values['memory_clock_mhz']);
  return (
    <span>
      {texts.gpus.smClock} {mhz(sm)}, {texts.gpus.memoryClock} {mhz(memory)}
    </span>
  );
}
