import type { Kernels } from '../data/format.ts';
import type { Profile } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';
import { counted, percentText, timeText } from '../text/units.ts';
import { Bars, type Bar } from './bars.tsx';
import { ChartFrame } from './chart_frame.tsx';
import { kernelSums, withRest, type KernelSum } from './kernel_sums.ts';
import { showKernel, type ShownNames } from './kernel_table.tsx';
import { categoryEntries, Legend } from './legend.tsx';
import { Sides } from './sides.tsx';
import { sumOf } from './thin.ts';

const kMostBars = 15;

interface KernelSide {
  profile: Profile;
  data: Kernels;
}

export function KernelBars(props: { sides: readonly KernelSide[]; names: ShownNames; navigation: Navigation }) {
  const { sides, names, navigation } = props;
  const summed = sides.map(({ profile, data }) => ({ profile, data, sums: kernelSums(data) }));
  const most = Math.max(0, ...summed.map(({ sums }) => sums[0]?.total_ns ?? 0));
  const categories = summed.flatMap(({ sums }) => sums.slice(0, kMostBars).map((sum) => sum.category));
  return (
    <ChartFrame title="GPU time by kernel" legend={<Legend entries={categoryEntries(categories)} />}>
      <Sides sides={summed}>{(side) => <KernelBarsOfSide {...side} {...{ most, names, navigation }} />}</Sides>
    </ChartFrame>
  );
}

interface BarsProps extends KernelSide {
  sums: KernelSum[];
  most: number;
  names: ShownNames;
  navigation: Navigation;
}

function KernelBarsOfSide(props: BarsProps) {
  const { profile, data, sums, names, navigation } = props;
  const whole = sumOf(sums.map((sum) => sum.total_ns));
  if (whole === 0) return <p class="sonde-absent">No kernel has a time in this profile.</p>;
  const { first, rest } = withRest(sums, kMostBars);
  const bars: Bar[] = first.map((sum) => ({
    name: sum.name,
    shown: names.get(sum.name),
    value: sum.total_ns,
    category: sum.category,
  }));
  if (rest)
    bars.push({ name: `${counted(rest.names, 'other name')}`, value: rest.total_ns, category: 'kernel', rest: true });
  const says = saysOf(sums, whole, data.measured);
  return (
    <>
      <p class="sonde-caption">{says}</p>
      <Bars
        summary={says}
        bars={bars}
        most={Math.max(props.most, rest?.total_ns ?? 0)}
        whole={whole}
        text={timeText}
        valueTitle="time"
        shareTitle="share"
        onBar={
          first.some(({ row }) => (data.longest_start_ns[row] ?? null) !== null)
            ? (index) => showKernel(navigation, profile, data, first[index]!.row)
            : undefined
        }
      />
    </>
  );
}

function saysOf(sums: readonly KernelSum[], whole: number, measured: boolean): string {
  const few = Math.min(3, sums.length);
  const share = percentText((100 * sumOf(sums.slice(0, few).map((sum) => sum.total_ns))) / whole);
  const source = measured ? ' Times were measured by Nsight Compute, which runs kernels one at a time.' : '';
  if (sums.length === 1) return `One kernel accounts for all of the kernel time (${timeText(whole)}).${source}`;
  return `The first ${few} of ${counted(sums.length, 'name')} account for ${share} of the kernel time (${timeText(whole)}).${source}`;
}
