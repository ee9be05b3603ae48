import { useMemo } from 'preact/hooks';
import type { Axis } from '../../charts/axes.tsx';
import { LineChart } from '../../charts/line_chart.tsx';
import { linearDomain, linearTicks } from '../../charts/scale.ts';
import type { History, HistorySeries } from '../api/types.ts';
import { isKnown, moment } from '../text/format.ts';
import { texts } from '../text/texts.ts';
import { valueText, valueTitle } from '../text/values.ts';
import { timeTicks, timeTickText } from './time_axis.ts';

const known = (values: readonly (number | null)[]): number[] => values.filter(isKnown);

const kGiB = 2 ** 30;
/** What round numbers are told in. */
const stepOf = (value: string): number => (value.endsWith('_bytes') ? kGiB : 1);

function yAxis({ value, maximum }: HistorySeries): Axis {
  const step = stepOf(value);
  const [low, high] = value.endsWith('_percent') ? [0, 100] : linearDomain(known(maximum).map((v) => v / step));
  return {
    label: '',
    log: false,
    domain: [low * step, high * step],
    text: (v) => valueText(value, v),
    ticks: (from, to, most) => linearTicks(from / step, to / step, most).map((tick) => tick * step),
  };
}

function summaryOf(series: HistorySeries, span: string): string {
  const means = known(series.mean);
  const text = (value: number) => valueText(series.value, value);
  const mean = means.reduce((sum, value) => sum + value, 0) / Math.max(1, means.length);
  const least = text(Math.min(...known(series.minimum)));
  const most = text(Math.max(...known(series.maximum)));
  return texts.detail.chartSummary(valueTitle(series.value), span, least, text(mean), most);
}

interface HistoryChartProps {
  history: History;
  series: HistorySeries;
  /** In words. */
  span: string;
  /** Seconds since 1970 of both ends. */
  from: number;
  to: number;
}

/** One value over time: the mean as a line in the band from least to most. */
export function HistoryChart({ history, series, span, from, to }: HistoryChartProps) {
  const { value, minimum, mean, maximum } = series;
  const summary = useMemo(() => summaryOf(series, span), [series, span]);
  const chart = useMemo(() => {
    const x: Axis = {
      label: texts.detail.time,
      log: false,
      domain: [from, to],
      text: (seconds) => timeTickText(seconds, to - from),
      ticks: timeTicks,
    };
    const y = yAxis(series);
    const lines = [
      { title: texts.detail.minimum, values: minimum, pale: true },
      { title: texts.detail.maximum, values: maximum, pale: true },
      { title: texts.detail.mean, values: mean },
    ];
    return { x, y, lines };
  }, [series, from, to]);
  if (known(mean).length === 0) return null;
  return (
    <figure class="history-chart">
      <figcaption>
        <h4>{valueTitle(value)}</h4>
      </figcaption>
      <LineChart
        summary={summary}
        x={chart.x}
        y={chart.y}
        at={history.moments}
        series={chart.lines}
        band={[0, 1]}
        bandGaps
        height={170}
        content={(index) => ({
          title: moment(new Date(history.moments[index]! * 1000).toISOString()),
          facts: [
            [texts.detail.mean, valueText(value, mean[index])],
            [texts.detail.minimum, valueText(value, minimum[index])],
            [texts.detail.maximum, valueText(value, maximum[index])],
          ],
        })}
      />
    </figure>
  );
}
