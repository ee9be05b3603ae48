import type { Modules, TransferPlot } from '../data/format.ts';
import { linearDomain, type Domain } from './scale.ts';
import type { ScatterLine } from './scatter.tsx';

/** Axes that hold the points of all sides. */
export const transferDomains = (plots: readonly TransferPlot[]): { x: Domain; y: Domain } => ({
  x: linearDomain(plots.flatMap((plot) => plot.bytes)),
  y: linearDomain(plots.flatMap((plot) => plot.ns)),
});

/** The fit from the left edge to the right one, cut where it leaves the axes; null where it is outside of them. */
export function fitLine(plot: TransferPlot, x: Domain, y: Domain): ScatterLine | null {
  if (!plot.line) return null;
  const { slope_ns_per_byte: slope, intercept_ns: intercept } = plot.line;
  let [from, to] = x;
  if (slope !== 0) {
    const crossings = [(y[0] - intercept) / slope, (y[1] - intercept) / slope];
    from = Math.max(from, Math.min(...crossings));
    to = Math.min(to, Math.max(...crossings));
  } else if (intercept < y[0] || intercept > y[1]) return null;
  if (!(to > from)) return null;
  return {
    corners: [
      [from, intercept + slope * from],
      [to, intercept + slope * to],
    ],
    dashed: true,
  };
}

/** The memories that any side has a plot for. */
export const memoriesOf = (sides: readonly Modules[]): string[] =>
  Array.from(new Set(sides.flatMap((modules) => (modules.measured?.transfer ?? []).map((plot) => plot.memory))));

export const plotOf = (modules: Modules, memory: string): TransferPlot | null =>
  modules.measured?.transfer.find((plot) => plot.memory === memory) ?? null;
