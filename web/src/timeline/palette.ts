import type { TrackName } from '../data/format.ts';
import { colourOf, textOn, type Scheme } from '../theme/colours.ts';

/** Colours as 32-bit pixels of an ImageData (little-endian: 0xAABBGGRR), which is what strips are made of. */
export type Pixel = number;

export interface Palette {
  /** By index of Track.names. */
  pixel: Uint32Array;
  /** CSS colour of the text on it. */
  text: string[];
}

const pixelOf = (r: number, g: number, b: number): Pixel => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

/** `hsl(h s% l%)` as theme/colours.ts writes it, or `rgb(r, g, b)` or `#rrggbb` as browsers write computed colours. */
export function parseColour(css: string): Pixel {
  const numbers = (css.match(/[\d.]+/g) ?? []).map(Number);
  if (css.startsWith('hsl')) return hslPixel(numbers[0]!, numbers[1]! / 100, numbers[2]! / 100);
  if (css.startsWith('#')) {
    const value = parseInt(css.slice(1, 7), 16);
    return pixelOf(value >> 16, (value >> 8) & 255, value & 255);
  }
  return pixelOf(numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0);
}

function hslPixel(h: number, s: number, l: number): Pixel {
  const a = s * Math.min(l, 1 - l);
  const part = (n: number) => {
    const k = (n + h / 30) % 12;
    return Math.round(255 * (l - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return pixelOf(part(0), part(8), part(4));
}

/** `share` (0 to 1) of `colour` on `ground`. */
export function mix(ground: Pixel, colour: Pixel, share: number): Pixel {
  const w = Math.round(256 * share);
  const v = 256 - w;
  // Red and blue at once, green alone: three channels in two products.
  const redBlue = (((colour & 0xff00ff) * w + (ground & 0xff00ff) * v) >>> 8) & 0xff00ff;
  const green = (((colour & 0xff00) * w + (ground & 0xff00) * v) >>> 8) & 0xff00;
  return (0xff000000 | redBlue | green) >>> 0;
}

export function paletteOf(names: readonly TrackName[], texts: readonly string[], scheme: Scheme): Palette {
  const pixel = new Uint32Array(names.length);
  const text: string[] = [];
  const known = new Map<string, Pixel>();
  names.forEach(([index, category], i) => {
    const name = texts[index] ?? '';
    const css = colourOf(category, name, scheme);
    let value = known.get(css);
    if (value === undefined) known.set(css, (value = parseColour(css)));
    pixel[i] = value;
    text.push(textOn(category, name, scheme));
  });
  return { pixel, text };
}

/** All but the flagged names fade into the ground; `faint` is the colour of texts that do. */
export function dimmed(palette: Palette, matching: Uint8Array | null, ground: Pixel, faint: string): Palette {
  if (matching === null) return palette;
  const pixel = palette.pixel.map((colour, i) => (matching[i] ? colour : mix(ground, colour, 0.22)));
  return { pixel, text: palette.text.map((colour, i) => (matching[i] ? colour : faint)) };
}
