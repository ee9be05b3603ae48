import { useState } from 'preact/hooks';
import { Select } from '../../charts/chart_frame.tsx';
import type { Gpu, History } from '../api/types.ts';
import type { Service } from '../state/service.ts';
import { useStore } from '../state/store.ts';
import { useLoad } from '../state/use_load.ts';
import { duration, isKnown } from '../text/format.ts';
import { texts } from '../text/texts.ts';
import { valueTitle } from '../text/values.ts';
import { choicesOf } from './gpus_view.tsx';
import { HistoryChart } from './history_chart.tsx';
import { Problem } from './loading.tsx';
import { Choice } from './sign_in.tsx';

type Span = keyof typeof texts.detail.spans;

const kSeconds: Record<Span, number> = {
  '15m': 900,
  '1h': 3600,
  '6h': 21_600,
  '24h': 86_400,
  '7d': 604_800,
  '30d': 2_592_000,
};

/** Shown at first. */
const kUsual = ['gpu_utilization_percent', 'memory_used_bytes', 'temperature_celsius', 'power_draw_milliwatts'];
/** Offered besides, where the GPU gives them. */
const kMore = [
  'sm_clock_mhz',
  'memory_clock_mhz',
  'memory_utilization_percent',
  'memory_temperature_celsius',
  'fan_speed_percent',
  'sw_power_cap_percent',
  'sw_thermal_slowdown_percent',
  'hw_thermal_slowdown_percent',
  'hw_power_brake_percent',
  'pcie_tx_kbytes_per_s',
  'pcie_rx_kbytes_per_s',
  'gpm_sm_percent',
  'gpm_occupancy_percent',
  'gpm_tensor_percent',
  'gpm_dram_percent',
  'ecc_corrected_volatile_total',
];
/** A chart shows less than this of its span no better, so new points are asked for no more often. */
const kPoints = 360;

/** Values of the snapshot that differ from what history keeps of them: counters of time become shares. */
const kCounters: Record<string, string> = {
  sw_power_cap_percent: 'sw_power_cap_ns',
  sw_thermal_slowdown_percent: 'sw_thermal_slowdown_ns',
  hw_thermal_slowdown_percent: 'hw_thermal_slowdown_ns',
  hw_power_brake_percent: 'hw_power_brake_ns',
};

export const offered = (gpu: Gpu): string[] => [
  ...kUsual,
  ...kMore.filter((name) => isKnown(gpu.values[kCounters[name] ?? name])),
];

/** A new point is worth asking for: as often as points come, 2 s at least, a minute at most. */
const versionOf = (samples: number, span: number): number => {
  const every = Math.min(60, Math.max(2, span / kPoints));
  return samples === 0 ? 0 : Math.floor(Date.now() / 1000 / every);
};

export function HistorySection({ service, gpu }: { service: Service; gpu: Gpu }) {
  const [span, setSpan] = useState<Span>('15m');
  const [chosen, setChosen] = useState<readonly string[]>(kUsual);
  const samples = useStore(service.samples);
  const all = offered(gpu);
  const values = all.filter((name) => chosen.includes(name));
  const seconds = kSeconds[span];
  const key = `${gpu.uuid} ${span} ${values.join()}`;
  const loaded = useLoad(service, key, versionOf(samples, seconds), () =>
    values.length > 0 ? service.client.history(gpu.uuid, { values, span }) : Promise.resolve(null),
  );
  const choose = (name: string, on: boolean) => setChosen(on ? [...chosen, name] : chosen.filter((n) => n !== name));
  return (
    <section aria-labelledby="history-heading" class="sonde-view">
      <div class="tools">
        <h3 id="history-heading">{texts.detail.history}</h3>
        <Select
          label={texts.detail.span}
          choices={choicesOf(texts.detail.spans)}
          value={span}
          onChoose={(value) => setSpan(value as Span)}
        />
      </div>
      <fieldset class="choices">
        <legend class="muted">{texts.detail.values}</legend>
        {all.map((name) => (
          <Choice
            key={name}
            checked={chosen.includes(name)}
            onChange={(on) => choose(name, on)}
            title={valueTitle(name)}
          />
        ))}
      </fieldset>
      <Problem of={loaded.error} />
      {loaded.value ? <Charts history={loaded.value} span={span} /> : null}
      {!loaded.value && !loaded.error && values.length > 0 ? (
        <p class="waiting charts-waiting">{texts.loading}</p>
      ) : null}
    </section>
  );
}

function Charts({ history, span }: { history: History; span: Span }) {
  const last = history.moments.at(-1);
  if (last === undefined) return <p class="charts-waiting">{texts.detail.noHistoryAtAll}</p>;
  const to = last + history.resolution_seconds;
  const from = to - kSeconds[span];
  const empty = history.series.filter(({ mean }) => !mean.some(isKnown));
  return (
    <>
      <p class="muted">{texts.detail.resolution(duration(history.resolution_seconds))}</p>
      <div class="charts">
        {history.series.map((series) => (
          <HistoryChart
            key={series.value}
            history={history}
            series={series}
            span={texts.detail.spans[span]}
            from={from}
            to={to}
          />
        ))}
      </div>
      {empty.map(({ value }) => (
        <p key={value} class="muted">
          {valueTitle(value)}: {texts.detail.noHistory}
        </p>
      ))}
    </>
  );
}
