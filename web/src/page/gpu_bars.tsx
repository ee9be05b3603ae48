import type { GpuSummary, Summary } from '../data/format.ts';
import { countText, counted, percentText, timeText } from '../text/units.ts';
import { colourOf } from '../theme/colours.ts';
import { useScheme } from '../theme/use_scheme.ts';
import { gpuShares, type GpuShares, workingTime } from './figures.ts';
import { Name } from './name.tsx';

/** More stand behind a line that opens. */
const kShown = 8;

interface Colours {
  kernels: string;
  other: string;
}

/** What each GPU did from the first GPU work of the run to the last. */
export function GpuBars({ summary }: { summary: Summary }) {
  const scheme = useScheme();
  const { gpus } = summary;
  if (gpus.length === 0) return null;
  const colours = { kernels: colourOf('kernel', '', scheme), other: colourOf('copy_h2d', '', scheme) };
  const rows = gpus.map((gpu, i) => <GpuRow key={i} gpu={gpu} total={workingTime(summary)} colours={colours} />);
  return (
    <section class="gpu-bars" aria-label="GPUs">
      <Legend colours={colours} />
      <ul>{rows.slice(0, kShown)}</ul>
      {rows.length > kShown ? (
        <details>
          <summary>{counted(rows.length - kShown, 'more GPU')}</summary>
          <ul>{rows.slice(kShown)}</ul>
        </details>
      ) : null}
    </section>
  );
}

function Legend({ colours }: { colours: Colours }) {
  return (
    <p class="legend">
      <span>
        <i style={{ background: colours.kernels }} /> kernels
      </span>
      <span>
        <i style={{ background: colours.other }} /> only copies and memsets
      </span>
      <span>
        <i class="idle" /> idle
      </span>
    </p>
  );
}

function GpuRow({ gpu, total, colours }: { gpu: GpuSummary; total: number; colours: Colours }) {
  const shares = gpuShares(gpu, total);
  const percent = (ns: number): string => percentText(total > 0 ? (100 * ns) / total : null);
  return (
    <li>
      <span class="gpu-name">
        <strong>{gpu.place}</strong> <Name text={gpu.name ?? ''} most={32} />
      </span>
      {shares ? <Bar shares={shares} colours={colours} /> : null}
      <span class="gpu-numbers">
        <strong>busy {percent(gpu.busy_ns)}</strong> <span>kernels {percent(gpu.kernel_ns)}</span>{' '}
        <span>copies {percent(gpu.copy_ns)}</span> {gpu.sets > 0 ? <span>memsets {percent(gpu.set_ns)} </span> : null}
        <span>
          idle {percent(gpu.idle_ns)}, {timeText(gpu.idle_ns)}
        </span>{' '}
        <span>{counted(gpu.kernels, 'kernel')}</span>
        {gpu.graph_launches > 0 ? <span> {countText(gpu.graph_launches)} graph launches</span> : null}
      </span>
    </li>
  );
}

function Bar({ shares, colours }: { shares: GpuShares; colours: Colours }) {
  return (
    <span class="gpu-bar" aria-hidden="true">
      <span style={{ width: `${shares.kernels}%`, background: colours.kernels }} />
      <span style={{ width: `${shares.other}%`, background: colours.other }} />
    </span>
  );
}
