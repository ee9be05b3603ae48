import { useState } from 'preact/hooks';
import type { Kernels, Roofline } from '../data/format.ts';
import type { Profile } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';
import { bytesText, counted, countText, flopsText, kAbsent, percentText, rateText, timeText } from '../text/units.ts';
import type { Axis } from './axes.tsx';
import { ChartFrame, Select, type Choice } from './chart_frame.tsx';
import { showKernel } from './kernel_table.tsx';
import { categoryEntries, Legend } from './legend.tsx';
import { intensityDigits, intensityText, ridgeOf, rooflineExtent, rooflineKey, roofLines } from './roofline.ts';
import { logDomain } from './scale.ts';
import { Scatter, type ScatterPoint } from './scatter.tsx';
import { Sides } from './sides.tsx';
import { greatestOf, heaviest, kMostPoints } from './thin.ts';
import type { TooltipContent } from './tooltip.tsx';

interface KernelSide {
  profile: Profile;
  data: Kernels;
}

/** Arithmetic over intensity of what Nsight Compute measured, below the GPU's roofs. */
export function RooflineSection({ sides, navigation }: { sides: readonly KernelSide[]; navigation: Navigation }) {
  const choices = choicesOf(sides);
  const [chosen, setChosen] = useState('');
  if (choices.length === 0) {
    const measured = sides.some(({ data }) => data.counters !== null);
    return <p class="sonde-absent">{measured ? kNotCollected : kNoRoofline}</p>;
  }
  const key = choices.some((choice) => choice.key === chosen) ? chosen : choices[0]!.key;
  const rooflines = sides.map(({ data }) => data.rooflines.find((roofline) => rooflineKey(roofline) === key) ?? null);
  const extent = rooflineExtent(rooflines.filter((roofline) => roofline !== null));
  const axes = { x: kIntensity(extent.x), y: kArithmetic(extent.y) };
  const most = greatestOf(sides.flatMap(({ data }, i) => (rooflines[i]?.points ?? []).map((p) => weightOf(data, p))));
  const categories = sides.flatMap(({ data }, i) => (rooflines[i]?.points ?? []).map((p) => data.category[p.kernel]!));
  return (
    <ChartFrame
      title="Roofline"
      controls={<Select label="GPU and arithmetic" choices={choices} value={key} onChoose={setChosen} />}
      legend={
        <Legend
          entries={[
            ...categoryEntries(categories),
            { title: 'roof', line: 'solid' },
            { title: 'ridge point', line: 'dashed' },
          ]}
        />
      }
    >
      <Sides sides={sides.map((side, i) => ({ ...side, roofline: rooflines[i]! }))}>
        {({ profile, data, roofline }) =>
          roofline ? (
            <RooflineChart {...{ profile, kernels: data, roofline, axes, most, navigation }} />
          ) : (
            <p class="sonde-absent">This profile has no counters for this GPU and arithmetic.</p>
          )
        }
      </Sides>
    </ChartFrame>
  );
}

const kNoRoofline =
  'No roofline: this report has no kernel counters. Run sonde study -- PROGRAM to record them and create the report. Or record them with sonde record --set detailed -o KERNELS -- PROGRAM or ncu --set full -o KERNELS PROGRAM, then run sonde report RUN KERNELS.sqlite (or KERNELS.ncu-rep).';

const kNotCollected =
  'No roofline: no memory traffic and arithmetic were measured for these kernels. sonde record --set detailed and ncu --set full measure both.';

const kIntensity = (values: number[]): Axis => ({
  label: 'arithmetic intensity, FLOP/B of device memory',
  log: true,
  domain: logDomain(values),
  text: intensityDigits,
});

const kArithmetic = (values: number[]): Axis => ({
  label: 'arithmetic, FLOP/s',
  log: true,
  domain: logDomain(values),
  text: flopsText,
});

function choicesOf(sides: readonly KernelSide[]): Choice[] {
  const titles = new Map<string, string>();
  for (const { data } of sides)
    for (const roofline of data.rooflines) titles.set(rooflineKey(roofline), `${roofline.gpu}, ${roofline.arithmetic}`);
  return Array.from(titles, ([key, title]) => ({ key, title }));
}

const weightOf = (kernels: Kernels, point: Roofline['points'][number]): number => kernels.total_ns[point.kernel] ?? 0;

interface RooflineChartProps {
  profile: Profile;
  kernels: Kernels;
  roofline: Roofline;
  axes: { x: Axis; y: Axis };
  most: number;
  navigation: Navigation;
}

function RooflineChart({ profile, kernels, roofline, axes, most, navigation }: RooflineChartProps) {
  const shown = roofline.points.filter((point) => point.flop_per_byte > 0 && point.flop_per_s > 0);
  const kept = heaviest(
    shown.map((point) => weightOf(kernels, point)),
    kMostPoints,
  )
    .map((index) => shown[index]!)
    .sort((a, b) => a.flop_per_byte - b.flop_per_byte);
  const points = kept.map((point): ScatterPoint => ({
    x: point.flop_per_byte,
    y: point.flop_per_s,
    weight: weightOf(kernels, point),
    category: kernels.category[point.kernel]!,
    name: kernels.name[point.kernel]!,
    shape: 'circle',
  }));
  const says = `${saysOf(roofline)}${kept.length < roofline.points.length ? ` Drawn: ${countText(kept.length)} of ${counted(roofline.points.length, 'point')}, those with the most time.` : ''}`;
  const placed = kernels.longest_start_ns.some((ns) => ns !== null);
  return (
    <>
      <p class="sonde-caption">{says}</p>
      <Scatter
        summary={`Roofline, logarithmic axes: ${says}`}
        x={axes.x}
        y={axes.y}
        points={points}
        lines={roofLines(roofline, axes.x.domain, axes.y.domain)}
        heaviest={most}
        content={(index) => contentOf(kernels, kept[index]!)}
        onPoint={placed ? (index) => showKernel(navigation, profile, kernels, kept[index]!.kernel) : undefined}
      />
    </>
  );
}

function saysOf(roofline: Roofline): string {
  const ridge = ridgeOf(roofline);
  const below = roofline.points.filter((point) => point.flop_per_byte < ridge).length;
  return `${countText(below)} of ${counted(roofline.points.length, 'kernel')} lie left of the ridge point at ${intensityText(ridge)}. There the memory bandwidth of ${rateText(roofline.bytes_per_s)} is the limit; right of it, the arithmetic peak of ${flopsText(roofline.flop_per_s)}.`;
}

function contentOf(kernels: Kernels, point: Roofline['points'][number]): TooltipContent {
  const row = point.kernel;
  return {
    title: kernels.name[row]!,
    facts: [
      ['arithmetic', flopsText(point.flop_per_s)],
      ['intensity', intensityText(point.flop_per_byte)],
      ['of the roof', percentText(point.percent_of_roof)],
      ['time', timeText(kernels.total_ns[row])],
      ['launches', countText(kernels.count[row])],
      ['grid, block', `${kernels.grid[row] ?? kAbsent}, ${kernels.block[row] ?? kAbsent}`],
      ['device memory', bytesText(kernels.counters?.dram_bytes[row])],
      ['occupancy', percentText(kernels.counters?.occupancy_percent[row])],
      ['bound', kernels.counters?.bound[row] ?? kAbsent],
    ],
  };
}
