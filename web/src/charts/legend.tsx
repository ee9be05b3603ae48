import type { Category } from '../data/format.ts';
import { colourOf, kCategories } from '../theme/colours.ts';
import { shapePath, type Shape } from './shapes.tsx';
import { useScheme } from '../theme/use_scheme.ts';

export interface LegendEntry {
  title: string;
  category?: Category;
  shape?: Shape;
  /** A line instead of a mark. */
  line?: 'solid' | 'dashed';
}

/** Entries for categories in the order of the first; those that have a hue in common share one. */
export function categoryEntries(categories: Iterable<Category>): LegendEntry[] {
  const byHue = new Map<string, Category[]>();
  for (const category of new Set(categories)) {
    const { hue } = kCategories[category];
    byHue.set(hue, [...(byHue.get(hue) ?? []), category]);
  }
  return Array.from(byHue.values(), (group) => ({
    title: group.map((category) => kCategories[category].title).join('; '),
    category: group[0]!,
    shape: 'square',
  }));
}

export function Legend({ entries }: { entries: readonly LegendEntry[] }) {
  const scheme = useScheme();
  if (entries.length === 0) return null;
  return (
    <ul class="sonde-legend">
      {entries.map(({ title, category, shape, line }) => {
        const colour = category ? colourOf(category, '', scheme) : 'currentColor';
        return (
          <li key={title}>
            <svg width="16" height="12" viewBox="0 0 16 12" aria-hidden="true">
              {line ? (
                <line
                  x1="0"
                  x2="16"
                  y1="6"
                  y2="6"
                  stroke={colour}
                  stroke-width="1.5"
                  stroke-dasharray={line === 'dashed' ? '4 3' : undefined}
                />
              ) : (
                <path
                  d={shapePath(shape ?? 'square', 8, 6, 4.5)}
                  fill={category ? colour : 'none'}
                  stroke={colour}
                  stroke-width="1.2"
                />
              )}
            </svg>
            {title}
          </li>
        );
      })}
    </ul>
  );
}
