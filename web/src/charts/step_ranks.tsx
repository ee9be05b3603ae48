import type { Steps } from '../data/format.ts';
import type { Profile } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';
import { counted, percentText, timeText } from '../text/units.ts';
import type { Axis } from './axes.tsx';
import { LineChart } from './line_chart.tsx';
import { rankTitle, showStep, stepTitle } from './step_places.ts';
import { spreadBySteps, type RankSteps } from './steps.ts';

export interface RanksChartProps {
  profile: Profile;
  data: Steps;
  ranks: readonly RankSteps[];
  axes: { x: Axis; y: Axis };
  navigation: Navigation;
}

/** Least, median and most length of a step over the ranks. */
export function RanksChart({ profile, data, ranks, axes, navigation }: RanksChartProps) {
  if (ranks.length < 2) return <p class="sonde-absent">This profile has steps on one rank only.</p>;
  const spread = spreadBySteps(ranks);
  const slowest = (step: number) => ranks.find((rank) => rank.length_ns[step] === spread.maximum[step])!;
  const says = saysOf(profile, ranks);
  return (
    <>
      <p class="sonde-caption">{says}</p>
      <LineChart
        summary={`Length of steps over ${counted(ranks.length, 'rank')}. ${says}`}
        x={axes.x}
        y={axes.y}
        at={spread.median.map((_, step) => data.warm_up + step + 0.5)}
        series={[
          { title: 'fastest', values: spread.minimum, pale: true, dashed: true },
          { title: 'median', values: spread.median },
          { title: 'slowest', values: spread.maximum, pale: true, dashed: true },
        ]}
        band={[0, 2]}
        height={220}
        content={(step) => ({
          title: stepTitle(data, step),
          facts: [
            ['fastest rank', timeText(spread.minimum[step])],
            ['median', timeText(spread.median[step])],
            ['slowest rank', `${timeText(spread.maximum[step])}, ${rankTitle(profile, slowest(step).rank)}`],
          ],
          action: "Click or Enter: the slowest rank's step on the timeline",
        })}
        onPoint={(step) => showStep(navigation, profile, data, slowest(step), step)}
      />
    </>
  );
}

function saysOf(profile: Profile, ranks: readonly RankSteps[]): string {
  const medians = ranks.filter((rank) => rank.median_ns !== null).sort((a, b) => a.median_ns! - b.median_ns!);
  const first = medians[0];
  const last = medians.at(-1);
  if (!first || !last) return 'No rank has steps.';
  const more = first.median_ns! > 0 ? percentText(100 * (last.median_ns! / first.median_ns! - 1)) : '';
  return `At the median a step takes ${timeText(first.median_ns)} on ${rankTitle(profile, first.rank)}, the fastest of ${counted(ranks.length, 'rank')}, and ${timeText(last.median_ns)} on ${rankTitle(profile, last.rank)}, the slowest: ${more} more.`;
}
