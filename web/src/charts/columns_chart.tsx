import type { Category } from '../data/format.ts';
import { colourOf } from '../theme/colours.ts';
import { Axes, scalesOf, type Axis, type Frame } from './axes.tsx';
import { Plot } from './plot.tsx';
import { positionOf } from './scale.ts';
import type { TooltipContent } from './tooltip.tsx';
import { useScheme } from '../theme/use_scheme.ts';

export interface Column {
  /** On the x axis, [begin, end). */
  begin: number;
  end: number;
  /** From 0 upwards. */
  parts: readonly { category: Category; value: number }[];
  /** Stands out: gets a sign above it. */
  outlier: boolean;
}

export interface ColumnsChartProps {
  summary: string;
  x: Axis;
  y: Axis;
  columns: readonly Column[];
  /** A level line, and what is written on it. */
  level: { value: number; text: string } | null;
  height: number;
  content: (index: number) => TooltipContent;
  onColumn?: ((index: number) => void) | undefined;
}

const topOf = (column: Column): number => column.parts.reduce((sum, part) => sum + part.value, 0);

/** Upright bars of parts over an index. */
export function ColumnsChart(props: ColumnsChartProps) {
  const { x, y, columns, level } = props;
  const scheme = useScheme();
  const places = (frame: Frame) => {
    const scales = scalesOf(frame, x, y);
    return columns.map((column) => ({
      x: positionOf(scales.x, (column.begin + column.end) / 2),
      y: positionOf(scales.y, topOf(column)),
    }));
  };
  const draw = (frame: Frame) => {
    const scales = scalesOf(frame, x, y);
    const at = places(frame);
    return (
      <>
        <Axes frame={frame} x={x} y={y} />
        {columns.map((column, index) => {
          const from = positionOf(scales.x, column.begin);
          const room = positionOf(scales.x, column.end) - from;
          const gap = room > 4 ? 1 : 0;
          let below = 0;
          return (
            <g key={index}>
              {column.parts.map(({ category, value }) => {
                const bottom = positionOf(scales.y, below);
                const top = positionOf(scales.y, (below += value));
                return (
                  <rect
                    key={category}
                    x={from + gap / 2}
                    y={top}
                    width={Math.max(0.5, room - gap)}
                    height={Math.max(0, bottom - top)}
                    fill={colourOf(category, '', scheme)}
                  />
                );
              })}
              {column.outlier && <path class="outlier" d={`M${at[index]!.x - 3.5} ${at[index]!.y - 9}h7l-3.5 6z`} />}
            </g>
          );
        })}
        {level && <Level frame={frame} at={positionOf(scales.y, level.value)} text={level.text} />}
      </>
    );
  };
  const mark = (_: unknown, index: number, frame: Frame) => {
    const scales = scalesOf(frame, x, y);
    const column = columns[index]!;
    const from = positionOf(scales.x, column.begin);
    const top = positionOf(scales.y, topOf(column));
    return (
      <rect
        class="active-mark"
        x={from}
        y={top}
        width={Math.max(1, positionOf(scales.x, column.end) - from)}
        height={frame.height - frame.bottom - top}
      />
    );
  };
  return (
    <Plot
      height={props.height}
      summary={props.summary}
      places={places}
      find="column"
      content={props.content}
      onPoint={props.onColumn}
      draw={draw}
      mark={mark}
    />
  );
}

function Level({ frame, at, text }: { frame: Frame; at: number; text: string }) {
  const right = frame.width - frame.right;
  return (
    <g class="sonde-line">
      <path d={`M${frame.left} ${at}H${right}`} stroke-dasharray="5 4" />
      <text x={right - 4} y={at - 5} text-anchor="end">
        {text}
      </text>
    </g>
  );
}
