import type { Category } from '../data/format.ts';

/**
 * One hue a meaning, in every view. The hues are those of Okabe and Ito (2008), which people with any kind of colour
 * blindness can tell apart; what must be told apart besides differs in lightness.
 */
type Hue = 'blue' | 'sky' | 'green' | 'orange' | 'vermilion' | 'purple' | 'yellow' | 'grey' | 'dark';

const kHues: Record<Hue, { h: number; s: number; l: number }> = {
  blue: { h: 202, s: 90, l: 38 },
  sky: { h: 202, s: 70, l: 62 },
  green: { h: 164, s: 80, l: 33 },
  orange: { h: 41, s: 90, l: 50 },
  vermilion: { h: 26, s: 90, l: 45 },
  purple: { h: 327, s: 45, l: 62 },
  yellow: { h: 54, s: 85, l: 58 },
  grey: { h: 215, s: 10, l: 62 },
  dark: { h: 215, s: 12, l: 42 },
};

export const kCategories: Record<Category, { hue: Hue; title: string }> = {
  matrix: { hue: 'blue', title: 'matrix product, convolution' },
  attention: { hue: 'green', title: 'attention' },
  softmax: { hue: 'green', title: 'softmax' },
  elementwise: { hue: 'sky', title: 'elementwise' },
  communication: { hue: 'vermilion', title: 'communication' },
  kernel: { hue: 'blue', title: 'other kernel' },
  graph: { hue: 'blue', title: 'CUDA graph' },
  copy_h2d: { hue: 'orange', title: 'copy, host to device' },
  copy_d2h: { hue: 'purple', title: 'copy, device to host' },
  copy_d2d: { hue: 'yellow', title: 'copy on the device' },
  copy_p2p: { hue: 'vermilion', title: 'copy, GPU to GPU' },
  copy: { hue: 'yellow', title: 'copy' },
  set: { hue: 'yellow', title: 'memset' },
  launch: { hue: 'sky', title: 'launch call' },
  wait: { hue: 'vermilion', title: 'synchronization call' },
  memory: { hue: 'purple', title: 'memory allocation call' },
  transfer: { hue: 'orange', title: 'copy call' },
  call: { hue: 'grey', title: 'other call' },
  range: { hue: 'green', title: 'range' },
  step: { hue: 'dark', title: 'step' },
  idle_host: { hue: 'orange', title: 'GPU idle: host busy' },
  idle_sync: { hue: 'vermilion', title: 'GPU idle: host waits' },
  idle_other: { hue: 'grey', title: 'GPU idle' },
  running: { hue: 'green', title: 'thread on a core' },
  overhead: { hue: 'dark', title: 'profiler overhead' },
  mark: { hue: 'dark', title: 'mark' },
};

export type Scheme = 'light' | 'dark';

function hash(text: string): number {
  let value = 2166136261;
  for (let i = 0; i < text.length; ++i) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 0;
}

/** Names of one category differ a little in lightness, the same name always alike. */
const kLightnessSteps = [-9, -3, 3, 9];

/** CSS colour of a slice, bar or point. */
export function colourOf(category: Category, name: string, scheme: Scheme): string {
  const { h, s, l } = kHues[kCategories[category].hue];
  const step = kLightnessSteps[hash(name) % kLightnessSteps.length]!;
  const lightness = Math.min(78, Math.max(24, l + step + (scheme === 'dark' ? 4 : 0)));
  return `hsl(${h} ${s}% ${lightness}%)`;
}

/** Black and white have the same contrast to it (WCAG 2: (L + 0.05) / 0.05 = 1.05 / (L + 0.05)). */
const kEvenLuminance = 0.179;

/** Relative luminance of WCAG 2. */
function luminance(h: number, s: number, l: number): number {
  const channel = (n: number) => {
    const k = (n + h / 30) % 12;
    const value = l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(0) + 0.7152 * channel(8) + 0.0722 * channel(4);
}

/** Black or white, whichever can be read on it. */
export function textOn(category: Category, name: string, scheme: Scheme): string {
  const [h, s, l] = colourOf(category, name, scheme)
    .match(/[\d.]+/g)!
    .map(Number) as [number, number, number];
  return luminance(h, s / 100, l / 100) > kEvenLuminance ? '#000' : '#fff';
}

/** What the page is shown in now: the reader's choice, else the system's. */
export function currentScheme(): Scheme {
  const chosen = document.documentElement.dataset['theme'];
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
