import { categoryEntries, Legend, type LegendEntry } from '../charts/legend.tsx';
import type { Category } from '../data/format.ts';
import { kCategories } from '../theme/colours.ts';
import type { TimelineModel } from './timeline_model.ts';

/** Of what the tracks have, in the order of kCategories. */
function categoriesOf({ documents }: TimelineModel): Category[] {
  const used = new Set(
    documents.flatMap(({ timeline }) => timeline.tracks.flatMap(({ names }) => names.map(([, category]) => category))),
  );
  return (Object.keys(kCategories) as Category[]).filter((category) => used.has(category));
}

/** What colours and lines of the timeline mean. */
export function TimelineLegend({ model }: { model: TimelineModel }) {
  const steps = model.documents.some((document) => document.steps !== null);
  const merged = model.documents.some(({ timeline }) => timeline.tiles !== null && timeline.detailed.length > 0);
  const lines: LegendEntry[] = [
    ...(steps ? [{ title: 'vertical line: a step begins', line: 'solid' } as const] : []),
    { title: 'arrow: from a launch to its work (of what is selected)', line: 'solid' },
    { title: 'frame: selected; band: what a finding points to', shape: 'square' },
    ...(merged ? [{ title: 'faint band: every event is in the report there', shape: 'square' } as const] : []),
  ];
  return (
    <div class="tl-legend" role="note" aria-label="Legend">
      <Legend entries={[...categoryEntries(categoriesOf(model)), ...lines]} />
      <span>
        The same name has the same shade. Lighter and darker shades of a color are different names. Faint vertical lines
        continue the ticks of the axis.
      </span>
    </div>
  );
}
