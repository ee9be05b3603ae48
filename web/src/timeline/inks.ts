import { parseColour, type Pixel } from './palette.ts';

/** The page's colours as canvases need them: resolved, for the scheme that is shown now. */
export interface Inks {
  ground: string;
  groundPixel: Pixel;
  text: string;
  muted: string;
  line: string;
  accent: string;
  panel: string;
}

const kNames = ['bg', 'fg', 'muted', 'line', 'accent', 'panel'] as const;

/** `probe` is an element of the timeline, whose style resolves the variables. */
export function inksOf(probe: HTMLElement): Inks {
  const [bg, fg, muted, line, accent, panel] = kNames.map((name) => {
    probe.style.color = `var(--tl-${name})`;
    return getComputedStyle(probe).color;
  });
  return {
    ground: bg!,
    groundPixel: parseColour(bg!),
    text: fg!,
    muted: muted!,
    line: line!,
    accent: accent!,
    panel: panel!,
  };
}

/** Calls back whenever the page changes between light and dark. Gives what ends that. */
export function onSchemeChange(callback: () => void): () => void {
  const query = matchMedia('(prefers-color-scheme: dark)');
  const observer = new MutationObserver(callback);
  query.addEventListener('change', callback);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'class', 'style'] });
  return () => {
    query.removeEventListener('change', callback);
    observer.disconnect();
  };
}
