import { useState } from 'preact/hooks';
import { timeText } from '../text/units.ts';
import { DetailsPanel } from './details_panel.tsx';
import { SelectionPanel } from './selection_panel.tsx';
import { Splitter } from './splitter.tsx';
import type { Timeline } from './timeline.ts';
import type { TimelineModel } from './timeline_model.ts';

/** What is selected, below the tracks; it can be made higher and folded away. */
export function BottomPanel({ timeline }: { timeline: Timeline }) {
  const [height, setHeight] = useState(220);
  const [open, setOpen] = useState(true);
  const { model } = timeline;
  const { selected, area } = model;
  const loaded = selected && model.store.peek(selected);
  const slice = selected && loaded?.kind === 'slices' ? { selected, loaded } : null;
  if (!slice && !area) return null;
  const onLinks = (arrows: Timeline['arrows']) => timeline.setArrows(arrows);
  return (
    <>
      <Splitter
        class="tl-panel-splitter"
        label="Panel height"
        orientation="horizontal"
        value={height}
        least={40}
        most={700}
        sign={-1}
        set={setHeight}
      />
      <div class="tl-panel" style={{ height: open ? `${height}px` : '28px' }} tabIndex={0} aria-label="Selection">
        <span class="tl-panel-buttons">
          <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Fold' : 'Unfold'}
          </button>
          <button type="button" title="Clear the selection (Escape)" onClick={() => model.clear()}>
            Close
          </button>
        </span>
        {slice && <DetailsPanel model={model} {...slice} onLinks={onLinks} />}
        {area && <SelectionPanel model={model} area={area} />}
      </div>
    </>
  );
}

/** The selection in words, for those who do not see it. */
export function selectionText(model: TimelineModel): string {
  const { selected, area } = model;
  const loaded = selected && model.store.peek(selected);
  if (selected && loaded?.kind === 'slices') {
    const { start, end } = model.spanOf(selected, loaded);
    return `${model.selectedName.slice(0, 200)}, ${selected.track.label}, at ${timeText(start)}, duration ${timeText(end - start)}`;
  }
  if (!area) return '';
  const tracks = area.tracks.length;
  return `Selected ${timeText(area.span.end - area.span.start)} of ${tracks} ${tracks === 1 ? 'track' : 'tracks'}`;
}
