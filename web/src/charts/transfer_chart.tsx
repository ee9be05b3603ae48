import { useState } from 'preact/hooks';
import type { Modules, TransferPlot } from '../data/format.ts';
import type { Profile } from '../data/report.ts';
import { pathTexts } from '../modules/module_tree.ts';
import type { Navigation } from '../navigation.ts';
import { bytesText, counted, countText, kAbsent, percentText, rateText, timeText } from '../text/units.ts';
import type { Axis } from './axes.tsx';
import { ChartFrame, Select } from './chart_frame.tsx';
import { pearson, pearsonWithoutLargest, spearman } from './correlation.ts';
import { Scatter, type ScatterPoint } from './scatter.tsx';
import { Sides } from './sides.tsx';
import { heaviest, kMostPoints } from './thin.ts';
import { fitLine, memoriesOf, plotOf, transferDomains } from './transfer.ts';

interface ModuleSide {
  profile: Profile;
  data: Modules;
}

/** Time of modules over the bytes that they move. */
export function TransferSection({ sides, navigation }: { sides: readonly ModuleSide[]; navigation: Navigation }) {
  const memories = memoriesOf(sides.map((side) => side.data));
  const [chosen, setChosen] = useState('');
  if (memories.length === 0) return <p class="sonde-absent">{kNoTransfer}</p>;
  const memory = memories.includes(chosen) ? chosen : memories[0]!;
  const plots = sides.map(({ data }) => plotOf(data, memory));
  const domains = transferDomains(plots.filter((plot) => plot !== null));
  const axes = {
    x: {
      label: `bytes read and written by the module, ${memory}`,
      log: true,
      domain: domains.x,
      text: bytesText,
    },
    y: { label: 'kernel time of the module', log: true, domain: domains.y, text: timeText },
  };
  const controls = (
    <Select label="Memory" choices={memories.map((key) => ({ key, title: key }))} value={memory} onChoose={setChosen} />
  );
  return (
    <ChartFrame title="Module time over bytes moved" controls={controls}>
      <Sides sides={sides.map((side, i) => ({ ...side, plot: plots[i]! }))}>
        {({ profile, data, plot }) =>
          plot ? (
            <TransferChart {...{ profile, modules: data, plot, axes, navigation }} />
          ) : (
            <p class="sonde-absent">{`This profile has no bytes of ${memory} for its modules.`}</p>
          )
        }
      </Sides>
    </ChartFrame>
  );
}

const kNoTransfer =
  'No plot of time over bytes moved: the plot needs ranges on the timeline and memory counters of the kernels. Run sonde study -- PROGRAM to record both and create the report. Or record with nsys profile -t cuda,nvtx and ncu --nvtx --set full -o KERNELS PROGRAM, then run sonde report RUN KERNELS.ncu-rep.';

interface TransferChartProps {
  profile: Profile;
  modules: Modules;
  plot: TransferPlot;
  axes: { x: Axis; y: Axis };
  navigation: Navigation;
}

function TransferChart({ profile, modules, plot, axes, navigation }: TransferChartProps) {
  const paths = pathTexts(modules);
  const shown = plot.ns.map((ns, i) => (plot.bytes[i]! > 0 ? ns : 0));
  const kept = heaviest(shown, kMostPoints)
    .filter((index) => shown[index]! > 0)
    .sort((a, b) => plot.bytes[a]! - plot.bytes[b]!);
  const points = kept.map((index): ScatterPoint => ({
    x: plot.bytes[index]!,
    y: plot.ns[index]!,
    weight: 1,
    category: 'range',
    name: modules.name[plot.module[index]!]!,
    shape: 'circle',
  }));
  const line = fitLine(plot, axes.x.domain, axes.y.domain);
  const says = `${saysOf(plot)}${drawnText(shown, kept.length)}`;
  const show = (index: number) => {
    const row = plot.module[kept[index]!]!;
    navigation.showOnTimeline({
      profile: profile.index,
      start_ns: modules.longest_start_ns[row]!,
      end_ns: modules.longest_end_ns[row]!,
      what: modules.name[row],
    });
  };
  return (
    <>
      <p class="sonde-caption">{says}</p>
      <Scatter
        summary={`Module time over ${plot.memory} bytes moved, logarithmic axes. ${says}`}
        {...axes}
        points={points}
        lines={line ? [line] : []}
        heaviest={6}
        named
        onPoint={show}
        content={(index) => {
          const at = kept[index]!;
          return {
            title: paths[plot.module[at]!]!,
            facts: [
              ['moved', bytesText(plot.bytes[at])],
              ['time', timeText(plot.ns[at])],
              ['rate', rateText(plot.ns[at]! > 0 ? plot.bytes[at]! / (plot.ns[at]! / 1e9) : null)],
              ['bound', modules.measured?.bound[plot.module[at]!] ?? '–'],
            ],
            action: 'Click or Enter: show the longest call on the timeline',
          };
        }}
      />
    </>
  );
}

function saysOf(plot: TransferPlot): string {
  const points = counted(plot.module.length, 'module');
  const covered =
    plot.measured_percent === null
      ? ''
      : ` They have ${percentText(plot.measured_percent)} of the time of all kernels.`;
  if (!plot.line) return `${points}: too few for a line.${covered}`;
  const rate = plot.bytes_per_s === null ? 'corresponds to no rate' : `corresponds to ${rateText(plot.bytes_per_s)}`;
  const line = `the slope of the line ${rate}; ${timeText(plot.line.intercept_ns)} is independent of the bytes`;
  return `${points}: ${line}. ${correlationText(plot)}${covered}`;
}

/** What logarithmic axes cannot hold, and what there are too many of. */
function drawnText(shown: readonly number[], drawn: number): string {
  const positive = shown.filter((ns) => ns > 0).length;
  const without = shown.length - positive;
  const absent =
    without > 0 ? ` ${counted(without, 'module')} without bytes ${without === 1 ? 'is' : 'are'} not drawn.` : '';
  return drawn < positive ? `${absent} Drawn: the ${countText(drawn)} with the most time.` : absent;
}

const correlation = (value: number | null): string => (value === null ? kAbsent : value.toFixed(3));

/** One large module can make a correlation that no other follows. */
function correlationText({ bytes, ns }: TransferPlot): string {
  const all = `Correlation ${correlation(pearson(bytes, ns))} (Pearson)`;
  const others = `${correlation(pearsonWithoutLargest(bytes, ns))} without the module that moves most`;
  return `${all}, ${others}; by rank ${correlation(spearman(bytes, ns))} (Spearman).`;
}
