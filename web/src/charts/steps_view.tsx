import './charts.css';
import { useMemo } from 'preact/hooks';
import type { Steps } from '../data/format.ts';
import type { Profile, Report } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';
import { counted, countText, percentText, timeText } from '../text/units.ts';
import { ChartFrame } from './chart_frame.tsx';
import { isolated } from './isolated.ts';
import { Legend, type LegendEntry } from './legend.tsx';
import { linearDomain } from './scale.ts';
import { Absent, present, Sides } from './sides.tsx';
import { RanksChart } from './step_ranks.tsx';
import { StepsChart } from './step_chart.tsx';
import { StepTable } from './step_table.tsx';
import { busyPercent, kOutlier, rankSteps, type RankSteps } from './steps.ts';

interface StepSide {
  profile: Profile;
  data: Steps;
  ranks: RankSteps[];
}

/** More charts one below the other than this are no longer read: the spread over the ranks stands for the others. */
const kMostRankCharts = 16;

/** What repeats: how long each turn took, and how much of it the GPUs worked. */
export function StepsView({ report, navigation }: { report: Report; navigation: Navigation }) {
  const sides = report.profiles.map((profile) => ({ profile, data: profile.document.steps }));
  const there = useMemo(
    () =>
      present(sides).map(({ profile, data }): StepSide => ({
        profile,
        data,
        ranks: data.ranks.map((steps) => rankSteps(profile.document, steps)),
      })),
    [report],
  );
  return (
    <div class="sonde-view">
      <Absent sides={sides}>
        No steps were found: no range repeats over most of the run. Put an NVTX range around the body of the main loop
        (torch.cuda.nvtx.range in PyTorch) and record with sonde record or nsys profile -t cuda,nvtx, or call
        profiler.step() with torch.profiler.
      </Absent>
      {there.length > 0 && <LoadedSteps sides={there} navigation={navigation} />}
    </div>
  );
}

function LoadedSteps({ sides, navigation }: { sides: readonly StepSide[]; navigation: Navigation }) {
  const lengths = sides.flatMap(({ ranks }) => ranks.flatMap((rank) => rank.length_ns));
  const first = Math.min(...sides.map(({ data }) => data.warm_up));
  const last = Math.max(
    first + 1,
    ...sides.flatMap(({ data, ranks }) => ranks.map((rank) => data.warm_up + rank.length_ns.length)),
  );
  const axes = {
    x: {
      label: 'step',
      log: false,
      domain: [first, last] as const,
      text: (value: number) => countText(Math.round(value)),
    },
    y: { label: 'length', log: false, domain: linearDomain(lengths), text: timeText },
  };
  const count = Math.max(...sides.map(({ ranks }) => ranks.length));
  return (
    <>
      {count > 1 && (
        <ChartFrame title="Step length across ranks" legend={<Legend entries={kRanksLegend} />}>
          <Sides sides={sides}>
            {({ profile, data, ranks }) => <RanksChart {...{ profile, data, ranks, axes, navigation }} />}
          </Sides>
        </ChartFrame>
      )}
      <ChartFrame title={count > 1 ? 'Steps of each rank' : 'Steps'} legend={<Legend entries={kStepsLegend} />}>
        <Sides sides={sides}>
          {(side) => (
            <>
              <p class="sonde-caption">{saysOf(side)}</p>
              <div>
                {side.ranks.slice(0, kMostRankCharts).map((rank) => (
                  <StepsChart
                    key={rank.rank}
                    {...{ profile: side.profile, data: side.data, rank, axes, navigation }}
                    many={count > 1}
                  />
                ))}
                {side.ranks.length > kMostRankCharts && (
                  <p class="sonde-absent">{`Shown: the first ${kMostRankCharts} of ${counted(side.ranks.length, 'rank')}. The table lists all.`}</p>
                )}
              </div>
            </>
          )}
        </Sides>
      </ChartFrame>
      <Sides sides={sides} stacked>
        {({ profile, data, ranks }) => <StepTable {...{ profile, data, ranks, navigation }} />}
      </Sides>
    </>
  );
}

const kStepsLegend: LegendEntry[] = [
  { title: 'GPU busy (mean of the GPUs)', category: 'kernel' },
  { title: 'GPU idle', category: 'idle_other' },
  { title: 'median', line: 'dashed' },
  { title: `more than ${kOutlier} times the median`, shape: 'triangle' },
];

const kRanksLegend: LegendEntry[] = [
  { title: 'median of the ranks', line: 'solid' },
  { title: 'fastest and slowest rank', line: 'dashed' },
];

function saysOf({ data, ranks }: StepSide): string {
  const count = ranks.reduce((most, rank) => Math.max(most, rank.length_ns.length), 0);
  const all = ranks.flatMap((rank) => rank.length_ns);
  const slow = ranks.reduce((sum, rank) => sum + rank.outliers.length, 0);
  const sentences = [
    `${counted(count, 'step')} of ${isolated(data.range)}${ranks.length > 1 ? ` on ${counted(ranks.length, 'rank')}` : ''}, median ${timeText(ranks[0]?.median_ns)}${ranks.length > 1 ? ` on the first rank` : ''}; the GPUs are busy for ${percentText(busyPercent(ranks))} of the step time.`,
    data.warm_up > 0
      ? `The first ${counted(data.warm_up, 'step')} before them ${data.warm_up === 1 ? 'is' : 'are'} warm-up and not shown.`
      : 'No warm-up was found before them.',
    slow > 0
      ? `${counted(slow, 'step')} ${slow === 1 ? 'takes' : 'take'} more than ${kOutlier} times the median, the longest ${timeText(all.reduce((a, b) => Math.max(a, b), 0))}.`
      : `No step takes more than ${kOutlier} times the median.`,
  ];
  return sentences.join(' ');
}
