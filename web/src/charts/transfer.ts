import type { Modules, TransferPlot } from '../data/format.ts';
import { logDomain, type Domain } from './scale.ts';
import type { ScatterLine } from './scatter.tsx';

/** Logarithmic axes that hold the points of all sides. */
export const transferDomains = (plots: readonly TransferPlot[]): { x: Domain; y: Domain } => ({
  x: logDomain(plots.flatMap((plot) => plot.bytes)),
  y: logDomain(plots.flatMap((plot) => plot.ns)),
});

/** A straight line is a curve on logarithmic axes: enough corners to draw it. */
const kCorners = 64;

/** The fit from the left edge to the right one, without what is outside of the axes; null where all of it is. */
export function fitLine(plot: TransferPlot, x: Domain, y: Domain): ScatterLine | null {
  if (!plot.line) return null;
  const { slope_ns_per_byte: slope, intercept_ns: intercept } = plot.line;
  const corners = Array.from({ length: kCorners + 1 }, (_, i) => x[0] * (x[1] / x[0]) ** (i / kCorners))
    .map((bytes) => [bytes, intercept + slope * bytes] as const)
    .filter(([, ns]) => ns >= y[0] && ns <= y[1]);
  return corners.length > 1 ? { corners, dashed: true } : null;
}

/** The memories that any side has a plot for. */
export const memoriesOf = (sides: readonly Modules[]): string[] =>
  Array.from(new Set(sides.flatMap((modules) => (modules.measured?.transfer ?? []).map((plot) => plot.memory))));

export const plotOf = (modules: Modules, memory: string): TransferPlot | null =>
  modules.measured?.transfer.find((plot) => plot.memory === memory) ?? null;
