import type { Steps } from '../data/format.ts';
import type { Profile } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';
import { counted, timeText } from '../text/units.ts';
import type { Axis } from './axes.tsx';
import { ColumnsChart } from './columns_chart.tsx';
import { rankTitle, showStep, stepFacts, stepTitle } from './step_places.ts';
import { stepColumns, type RankSteps } from './steps.ts';

/** Bars of half a pixel and less cannot be distinguished: charts are about as wide as this. */
const kMostBars = 600;

export interface StepsChartProps {
  profile: Profile;
  data: Steps;
  rank: RankSteps;
  axes: { x: Axis; y: Axis };
  /** One of several below one another: lower, and named. */
  many: boolean;
  navigation: Navigation;
}

export function StepsChart({ profile, data, rank, axes, many, navigation }: StepsChartProps) {
  const { columns, step } = stepColumns(rank, kMostBars, data.warm_up);
  const title = rankTitle(profile, rank.rank);
  const slow = counted(rank.outliers.length, 'outlier');
  const summary = `Length of ${counted(rank.length_ns.length, 'step')}${many ? ` of ${title}` : ''}: median ${timeText(rank.median_ns)}, ${slow}.`;
  const merged = columns.length < rank.length_ns.length;
  return (
    <div class="sonde-rank">
      {many && (
        <p class="sonde-rank-label">
          <bdi>{title}</bdi>
        </p>
      )}
      <ColumnsChart
        summary={summary}
        x={axes.x}
        y={axes.y}
        columns={columns}
        level={rank.median_ns === null ? null : { value: rank.median_ns, text: `median ${timeText(rank.median_ns)}` }}
        height={many ? 150 : 280}
        content={(index) => ({
          title: `${stepTitle(data, step[index]!)}${many ? `, ${title}` : ''}`,
          facts: stepFacts(rank, step[index]!),
          action: 'Click or Enter: show the step on the timeline',
        })}
        onColumn={(index) => showStep(navigation, profile, data, rank, step[index]!)}
      />
      {merged && (
        <p class="sonde-muted">{`Each bar covers up to ${columns[0]!.end - columns[0]!.begin} neighboring steps and shows the longest of them.`}</p>
      )}
    </div>
  );
}
