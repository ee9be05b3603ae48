import { useMemo, useState } from 'preact/hooks';
import type { LaunchAdvice, MeasuredLaunch, MeasuredLaunches } from '../data/format.ts';
import { DataTable } from '../tables/data_table.tsx';
import { shortKernelNames } from '../text/kernel_names.ts';
import { countText, kAbsent, percentText, timeText } from '../text/units.ts';
import { ChartFrame, Select } from './chart_frame.tsx';
import type { ShownNames } from './kernel_table.tsx';

/** What the kernel profiler measured and advised of one launch at a time. */
export function MeasuredLaunchesSection({ data }: { data: MeasuredLaunches }) {
  const [chosen, setChosen] = useState('0');
  const names = useMemo(() => shortKernelNames(data.launches.map(({ kernel }) => kernel)), [data]);
  const launch = data.launches[Number(chosen)] ?? data.launches[0];
  if (!launch) return null;
  const choices = data.launches.map((one, i) => ({ key: String(i), title: titleOf(one, names) }));
  const left = data.left_out > 0 ? ` Not shown: ${countText(data.left_out)} that took less time.` : '';
  return (
    <ChartFrame
      title="Measured launches"
      controls={<Select label="Launch" choices={choices} value={chosen} onChoose={setChosen} />}
    >
      <p class="sonde-caption">
        <bdi>{`${launch.kernel}: ${timeText(launch.duration_ns)}, grid ${launch.grid}, block ${launch.block}.${left}`}</bdi>
      </p>
      <Advice advice={launch.advice} />
      {launch.views.map((view) => (
        <DataTable key={`${chosen} ${view.name}`} caption={view.title} columns={view.columns} note={view.note} />
      ))}
    </ChartFrame>
  );
}

const titleOf = ({ id, kernel, duration_ns }: MeasuredLaunch, names: ShownNames): string =>
  `${names.get(kernel) ?? kernel}, launch ${id}, ${duration_ns === null ? kAbsent : timeText(duration_ns)}`;

/** Greatest estimates for the whole kernel first; the order of the report among equals. */
const weightOf = ({ speedup }: LaunchAdvice): number => (speedup?.whole_kernel ? speedup.percent : -1);

function Advice({ advice }: { advice: readonly LaunchAdvice[] }) {
  if (advice.length === 0)
    return <p class="sonde-absent">The profiler ran no rules on this launch, or they found nothing.</p>;
  const ordered = [...advice].sort((a, b) => weightOf(b) - weightOf(a));
  return (
    <ul class="sonde-advice" aria-label="Advice">
      {ordered.map((one, i) => (
        <li key={i}>
          <strong>
            <bdi>{one.title}</bdi>
          </strong>
          {one.speedup && (
            <span class="sonde-muted">
              {` estimated speedup ${percentText(one.speedup.percent)}${one.speedup.whole_kernel ? '' : ' of this aspect (local)'}`}
            </span>
          )}
          <p>
            <bdi>{one.says}</bdi>
          </p>
        </li>
      ))}
    </ul>
  );
}
