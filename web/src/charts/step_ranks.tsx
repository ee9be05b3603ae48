import type { Steps } from '../data/format.ts';
import type { Profile } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';
import { counted, countText, percentText, timeText } from '../text/units.ts';
import type { Axis } from './axes.tsx';
import { isolated } from './isolated.ts';
import { LineChart } from './line_chart.tsx';
import { rankTitle, showStep, stepTitle } from './step_places.ts';
import { stepSpreads, type RankSteps, type StepSpread } from './steps.ts';
import type { TooltipContent } from './tooltip.tsx';

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
  const spreads = stepSpreads(ranks, kMostPoints);
  const says = saysOf(profile, ranks);
  return (
    <>
      <p class="sonde-caption">{says}</p>
      <LineChart
        summary={`Step length across ${counted(ranks.length, 'rank')}. ${says}`}
        x={axes.x}
        y={axes.y}
        at={spreads.map(({ begin, end }) => data.warm_up + (begin + end) / 2)}
        series={[
          { title: 'fastest', values: spreads.map((spread) => spread.minimum), pale: true, dashed: true },
          { title: 'median', values: spreads.map((spread) => spread.median) },
          { title: 'slowest', values: spreads.map((spread) => spread.maximum), pale: true, dashed: true },
        ]}
        band={[0, 2]}
        height={220}
        content={(index) => contentOf(profile, data, spreads[index]!)}
        onPoint={(index) => {
          const { rank, step } = spreads[index]!.slowest;
          showStep(navigation, profile, data, rank, step);
        }}
      />
    </>
  );
}

/** About as many as the chart has room for. */
const kMostPoints = 600;

function contentOf(profile: Profile, data: Steps, { begin, end, slowest, ...spread }: StepSpread): TooltipContent {
  const title = stepTitle(data, begin);
  return {
    title: end - begin > 1 ? `${title} to ${countText(data.warm_up + end - 1)}` : title,
    facts: [
      ['fastest', timeText(spread.minimum)],
      ['median', timeText(spread.median)],
      ['slowest', `${timeText(spread.maximum)}, ${rankTitle(profile, slowest.rank.rank)}`],
    ],
    action: 'Click or Enter: show the slowest one on the timeline',
  };
}

function saysOf(profile: Profile, ranks: readonly RankSteps[]): string {
  const medians = ranks.filter((rank) => rank.median_ns !== null).sort((a, b) => a.median_ns! - b.median_ns!);
  const first = medians[0];
  const last = medians.at(-1);
  if (!first || !last) return 'No rank has steps.';
  const more = first.median_ns! > 0 ? percentText(100 * (last.median_ns! / first.median_ns! - 1)) : '';
  return `The median step takes ${timeText(first.median_ns)} on ${isolated(rankTitle(profile, first.rank))}, the fastest of ${counted(ranks.length, 'rank')}, and ${timeText(last.median_ns)} (${more} more) on ${isolated(rankTitle(profile, last.rank))}, the slowest.`;
}
