import { Axes, scalesOf, type Axis, type Frame } from './axes.tsx';
import { Plot } from './plot.tsx';
import { positionOf, type Scale } from './scale.ts';
import type { TooltipContent } from './tooltip.tsx';

export interface LineSeries {
  title: string;
  /** A value an x; null where there is none: the line has a gap there. */
  values: readonly (number | null)[];
  dashed?: boolean;
  /** Thin and pale: context. */
  pale?: boolean;
}

export interface LineChartProps {
  summary: string;
  x: Axis;
  y: Axis;
  /** Ascending. */
  at: readonly number[];
  series: readonly LineSeries[];
  /** Filled between two of the series. */
  band?: readonly [lower: number, upper: number];
  /** The band ends where a value is missing and begins anew behind it, as the lines do. */
  bandGaps?: boolean;
  height: number;
  content: (index: number) => TooltipContent;
  onPoint?: ((index: number) => void) | undefined;
}

/** The path of a line, interrupted where values are missing. */
export function linePath(at: readonly number[], values: readonly (number | null)[], x: Scale, y: Scale): string {
  let path = '';
  let inside = false;
  at.forEach((time, index) => {
    const value = values[index] ?? null;
    if (value !== null)
      path += `${inside ? 'L' : 'M'}${positionOf(x, time).toFixed(2)} ${positionOf(y, value).toFixed(2)}`;
    inside = value !== null;
  });
  return path;
}

/** The closed outline between two lines, over the values that both have. */
export function bandPath(
  at: readonly number[],
  lower: readonly (number | null)[],
  upper: readonly (number | null)[],
  x: Scale,
  y: Scale,
): string {
  const both = at.map((_, i) => i).filter((i) => (lower[i] ?? null) !== null && (upper[i] ?? null) !== null);
  const point = (values: readonly (number | null)[]) => (i: number) =>
    `${positionOf(x, at[i]!).toFixed(2)} ${positionOf(y, values[i]!).toFixed(2)}`;
  if (both.length === 0) return '';
  return `M${both.map(point(upper)).join('L')}L${both.toReversed().map(point(lower)).join('L')}z`;
}

/** The same in pieces, none over a place where either has no value. */
export function bandPieces(
  at: readonly number[],
  lower: readonly (number | null)[],
  upper: readonly (number | null)[],
  x: Scale,
  y: Scale,
): string {
  let path = '';
  let begin = 0;
  for (let i = 0; i <= at.length; ++i) {
    if (i < at.length && (lower[i] ?? null) !== null && (upper[i] ?? null) !== null) continue;
    path += bandPath(at.slice(begin, i), lower.slice(begin, i), upper.slice(begin, i), x, y);
    begin = i + 1;
  }
  return path;
}

export function LineChart(props: LineChartProps) {
  const { x, y, at, series, band } = props;
  const outline = props.bandGaps ? bandPieces : bandPath;
  const draw = (frame: Frame) => {
    const scales = scalesOf(frame, x, y);
    return (
      <>
        <Axes frame={frame} x={x} y={y} />
        {band && (
          <path class="band" d={outline(at, series[band[0]]!.values, series[band[1]]!.values, scales.x, scales.y)} />
        )}
        {series.map(({ title, values, dashed, pale }) => (
          <path
            key={title}
            class={pale ? 'series pale' : 'series'}
            d={linePath(at, values, scales.x, scales.y)}
            stroke-dasharray={dashed ? '5 4' : undefined}
          />
        ))}
      </>
    );
  };
  const places = (frame: Frame) => {
    const scales = scalesOf(frame, x, y);
    return at.map((value) => ({ x: positionOf(scales.x, value), y: frame.top }));
  };
  return (
    <Plot
      height={props.height}
      summary={props.summary}
      places={places}
      find="column"
      content={props.content}
      onPoint={props.onPoint}
      draw={draw}
      mark={(place, _, frame) => <path class="cursor" d={`M${place.x} ${frame.top}V${frame.height - frame.bottom}`} />}
    />
  );
}
