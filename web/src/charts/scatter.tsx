import type { Category } from '../data/format.ts';
import { cutMiddle } from '../text/names.ts';
import { colourOf } from '../theme/colours.ts';
import { Axes, scalesOf, type Axis, type Frame } from './axes.tsx';
import { Plot, type Place } from './plot.tsx';
import { positionOf } from './scale.ts';
import { shapePath, type Shape } from './shapes.tsx';
import type { TooltipContent } from './tooltip.tsx';
import { useScheme } from '../theme/use_scheme.ts';

export interface ScatterPoint {
  x: number;
  y: number;
  /** Decides its area. */
  weight: number;
  category: Category;
  name: string;
  shape: Shape;
}

/** A line in the units of the axes, for each scale straight between its corners. */
export interface ScatterLine {
  corners: readonly (readonly [x: number, y: number])[];
  dashed?: boolean;
  /** Beside one of its corners. */
  label?: { text: string; corner: number; side: 'left' | 'right' | 'below' };
}

export interface ScatterProps {
  summary: string;
  x: Axis;
  y: Axis;
  points: readonly ScatterPoint[];
  lines?: readonly ScatterLine[];
  /** The weight that has the largest mark: of all sides of a comparison. */
  heaviest: number;
  height?: number;
  /** Names stand beside points where there is room. */
  named?: boolean;
  content: (index: number) => TooltipContent;
  onPoint?: ((index: number) => void) | undefined;
}

const kLeastRadius = 3.5;
const kMostRadius = 12;

/** Areas go with weights. */
export const radiusOf = (weight: number, heaviest: number): number =>
  heaviest > 0 ? Math.max(kLeastRadius, kMostRadius * Math.sqrt(Math.max(0, weight) / heaviest)) : 5;

export function Scatter(props: ScatterProps) {
  const { x, y, points, heaviest } = props;
  const scheme = useScheme();
  const places = (frame: Frame): Place[] => {
    const scales = scalesOf(frame, x, y);
    return points.map((point) => ({ x: positionOf(scales.x, point.x), y: positionOf(scales.y, point.y) }));
  };
  const shape = (place: Place, index: number, more = 0) => {
    const point = points[index]!;
    return shapePath(point.shape, place.x, place.y, radiusOf(point.weight, heaviest) + more);
  };
  const draw = (frame: Frame) => {
    const at = places(frame);
    // The largest first, so that small ones lie on top.
    const order = points.map((_, index) => index).sort((a, b) => points[b]!.weight - points[a]!.weight);
    return (
      <>
        <Axes frame={frame} x={x} y={y} />
        {order.map((index) => (
          <path
            key={index}
            class="mark"
            d={shape(at[index]!, index)}
            fill={colourOf(points[index]!.category, points[index]!.name, scheme)}
          />
        ))}
        {props.named && <PointNames points={points} at={at} frame={frame} />}
        {(props.lines ?? []).map((line, index) => (
          <Line key={index} line={line} frame={frame} x={x} y={y} />
        ))}
      </>
    );
  };
  return (
    <Plot
      height={props.height ?? 340}
      summary={props.summary}
      places={places}
      find="point"
      content={props.content}
      onPoint={props.onPoint}
      draw={draw}
      mark={(place, index) => <path class="active-mark" d={shape(place, index, 2.5)} />}
    />
  );
}

/** Pixels of a character of a name, in the mean, and of its line. */
const kLetter = 6.2;
const kLineHeight = 13;
const kMostLetters = 28;

/** Names beside their points, those first that are farthest to the top; one that would cover another is left out. */
function PointNames(props: { points: readonly ScatterPoint[]; at: readonly Place[]; frame: Frame }) {
  const { points, at, frame } = props;
  const taken: { left: number; right: number; y: number }[] = [];
  const order = points.map((_, index) => index).sort((a, b) => at[a]!.y - at[b]!.y);
  return (
    <g class="sonde-point-names" aria-hidden="true">
      {order.map((index) => {
        const { x, y } = at[index]!;
        const text = cutMiddle(points[index]!.name, kMostLetters);
        const width = kLetter * text.length;
        const before = x + 8 + width > frame.width - frame.right;
        const left = before ? x - 8 - width : x + 8;
        const free = taken.every((t) => left > t.right || left + width < t.left || Math.abs(y - t.y) >= kLineHeight);
        if (!free || left < frame.left) return null;
        taken.push({ left, right: left + width, y });
        return (
          <text key={index} x={before ? x - 8 : x + 8} y={y + 4} text-anchor={before ? 'end' : 'start'}>
            {text}
          </text>
        );
      })}
    </g>
  );
}

function Line({ line, frame, x, y }: { line: ScatterLine; frame: Frame; x: Axis; y: Axis }) {
  const scales = scalesOf(frame, x, y);
  const at = line.corners.map(([cx, cy]) => [positionOf(scales.x, cx), positionOf(scales.y, cy)] as const);
  const { label } = line;
  const corner = label && at[label.corner];
  return (
    <g class="sonde-line">
      <path
        d={`M${at.map(([px, py]) => `${px.toFixed(2)} ${py.toFixed(2)}`).join('L')}`}
        stroke-dasharray={line.dashed ? '5 4' : undefined}
      />
      {corner && (
        <text
          x={corner[0] + (label.side === 'right' ? 6 : label.side === 'left' ? -4 : 0)}
          y={corner[1] + (label.side === 'below' ? 16 : -6)}
          text-anchor={label.side === 'left' ? 'end' : label.side === 'right' ? 'start' : 'middle'}
        >
          {label.text}
        </text>
      )}
    </g>
  );
}
