import type { Roofline } from '../data/format.ts';
import type { Domain } from './scale.ts';
import type { ScatterLine } from './scatter.tsx';
import { flopsText, kAbsent, rateText } from '../text/units.ts';

/** Two GPUs' or profiles' rooflines of the same key can be laid over one another. */
export const rooflineKey = (roofline: Roofline): string => JSON.stringify([roofline.gpu, roofline.arithmetic]);

/** "12.5" */
export const intensityDigits = (flopPerByte: number): string =>
  flopPerByte >= 0.001 && flopPerByte < 1e6
    ? flopPerByte.toLocaleString('en-US', { maximumSignificantDigits: 3 })
    : flopPerByte.toExponential(1);

/** "12.5 FLOP/B" */
export const intensityText = (flopPerByte: number | null): string =>
  flopPerByte === null ? kAbsent : `${intensityDigits(flopPerByte)}\u202fFLOP/B`;

/** FLOP/B from which the arithmetic is the roof. */
export const ridgeOf = (roofline: Pick<Roofline, 'flop_per_s' | 'bytes_per_s'>): number =>
  roofline.flop_per_s / roofline.bytes_per_s;

/** What can be reached at this intensity. */
export const roofAt = (roofline: Pick<Roofline, 'flop_per_s' | 'bytes_per_s'>, flopPerByte: number): number =>
  Math.min(roofline.flop_per_s, roofline.bytes_per_s * flopPerByte);

/** What the axes must hold: the points, and the ridge with some roof on both sides. */
export function rooflineExtent(rooflines: readonly Roofline[]): { x: number[]; y: number[] } {
  const x: number[] = [];
  const y: number[] = [];
  for (const roofline of rooflines) {
    const ridge = ridgeOf(roofline);
    x.push(ridge / 10, ridge * 10);
    y.push(roofline.flop_per_s, roofline.flop_per_s / 10);
    for (const point of roofline.points) {
      x.push(point.flop_per_byte);
      y.push(point.flop_per_s);
    }
  }
  return { x, y };
}

/** The two roofs within the axes: memory's slope up to the ridge, arithmetic's level from there. */
export function roofLines(roofline: Roofline, x: Domain, y: Domain): ScatterLine[] {
  const ridge = ridgeOf(roofline);
  const from = Math.max(x[0], y[0] / roofline.bytes_per_s);
  const peak = roofline.flop_per_s;
  return [
    {
      corners: [
        [from, roofAt(roofline, from)],
        [Math.sqrt(from * ridge), roofAt(roofline, Math.sqrt(from * ridge))],
        [ridge, peak],
      ],
      label: { text: rateText(roofline.bytes_per_s), corner: 1, side: 'left' },
    },
    {
      corners: [
        [ridge, peak],
        [x[1], peak],
      ],
      label: { text: flopsText(peak), corner: 1, side: 'left' },
    },
    {
      corners: [
        [ridge, y[0]],
        [ridge, peak],
      ],
      dashed: true,
      label: { text: `ridge ${intensityText(ridge)}`, corner: 0, side: 'right' },
    },
  ];
}
