import type { ComponentChildren } from 'preact';
import { positionOf, tickText, ticksOf, type Domain, type Scale } from './scale.ts';

export interface Axis {
  /** With its unit. */
  label: string;
  log: boolean;
  domain: Domain;
  text: (value: number) => string;
  /** The values that the axis names, `most` at most; without it round numbers. */
  ticks?: (low: number, high: number, most: number) => number[];
}

export interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export const frameOf = (width: number, height: number): Frame => ({
  width,
  height,
  left: 104,
  right: 14,
  top: 12,
  bottom: 42,
});

export function scalesOf(frame: Frame, x: Axis, y: Axis): { x: Scale; y: Scale } {
  return {
    x: { log: x.log, low: x.domain[0], high: x.domain[1], from: frame.left, to: frame.width - frame.right },
    y: { log: y.log, low: y.domain[0], high: y.domain[1], from: frame.height - frame.bottom, to: frame.top },
  };
}

function axisTicks({ ticks }: Axis, scale: Scale, most: number): number[] {
  return ticks ? ticks(scale.low, scale.high, most) : ticksOf(scale, most);
}

/** Grid, ticks and labels of both axes. */
export function Axes({ frame, x, y }: { frame: Frame; x: Axis; y: Axis }) {
  const scales = scalesOf(frame, x, y);
  const bottom = frame.height - frame.bottom;
  const right = frame.width - frame.right;
  return (
    <g class="sonde-axes" aria-hidden="true">
      {axisTicks(x, scales.x, Math.max(2, Math.floor((right - frame.left) / 70))).map((tick) => {
        const at = positionOf(scales.x, tick);
        return (
          <g key={tick}>
            <line class="grid" x1={at} x2={at} y1={frame.top} y2={bottom} />
            <text x={at} y={bottom + 15} text-anchor={at > right - 30 ? 'end' : 'middle'}>
              {tickText(x.text(tick))}
            </text>
          </g>
        );
      })}
      {axisTicks(y, scales.y, Math.max(2, Math.floor((bottom - frame.top) / 30))).map((tick) => {
        const at = positionOf(scales.y, tick);
        return (
          <g key={tick}>
            <line class="grid" x1={frame.left} x2={right} y1={at} y2={at} />
            <text x={frame.left - 6} y={at + 4} text-anchor="end">
              {tickText(y.text(tick))}
            </text>
          </g>
        );
      })}
      <path class="axis" d={`M${frame.left} ${frame.top}V${bottom}H${right}`} />
      <text class="label" x={(frame.left + right) / 2} y={frame.height - 6} text-anchor="middle">
        {x.label}
      </text>
      <text class="label" text-anchor="middle" transform={`translate(11 ${(frame.top + bottom) / 2}) rotate(-90)`}>
        {y.label}
      </text>
    </g>
  );
}

/** The picture: as wide as it was measured, smaller on paper. */
export function Picture(props: { frame: Frame; summary: string; children: ComponentChildren }) {
  const { frame, summary, children } = props;
  return (
    <svg
      class="sonde-picture"
      role="img"
      aria-label={summary}
      width={frame.width}
      height={frame.height}
      viewBox={`0 0 ${frame.width} ${frame.height}`}
    >
      {children}
    </svg>
  );
}
