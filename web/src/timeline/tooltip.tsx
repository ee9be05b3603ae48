import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { kCategories } from '../theme/colours.ts';
import { counted, momentText, timeText } from '../text/units.ts';
import type { Target } from './hover.ts';
import { quantityText } from './quantity_text.ts';
import { kNoName, nameOf, type TimelineModel } from './timeline_model.ts';
import { lengthOf } from './viewport.ts';

export interface Hovered {
  target: Target;
  /** Of the window. */
  x: number;
  y: number;
}

const kApart = 14;
/** More of a name does not help on a hover; the panel has it whole. */
const kMostCharacters = 700;

/** Follows the pointer; `subscribe` is called with what shows and hides it. */
export function Tooltip({
  model,
  subscribe,
}: {
  model: TimelineModel;
  subscribe: (show: (h: Hovered) => void) => void;
}) {
  const [hovered, setHovered] = useState<Hovered>({ target: null, x: 0, y: 0 });
  const box = useRef<HTMLDivElement>(null);
  subscribe(setHovered);
  const { target, x, y } = hovered;
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const { width, height } = element.getBoundingClientRect();
    const left = x + kApart + width > innerWidth ? Math.max(4, x - kApart - width) : x + kApart;
    const top = y + kApart + height > innerHeight ? Math.max(4, y - kApart - height) : y + kApart;
    element.style.transform = `translate(${left}px, ${top}px)`;
  });
  if (target === null || target.type === 'group') return null;
  return (
    <div class="tl-tooltip" role="presentation" ref={box}>
      {target.type === 'slice' ? <SliceTip model={model} target={target} /> : <CounterTip target={target} />}
    </div>
  );
}

function SliceTip({ model, target }: { model: TimelineModel; target: Extract<Target, { type: 'slice' }> }) {
  const { ref, loaded } = target;
  const name = nameOf(ref, loaded);
  const { start, end } = model.spanOf(ref, loaded);
  const merged = loaded.slices.merged?.get(ref.slice);
  const [, category] = ref.track.names[loaded.slices.name[ref.slice]!]!;
  return (
    <>
      <bdi class="tl-tip-name">{name.slice(0, kMostCharacters) || kNoName}</bdi>
      {merged && (
        <div>
          {counted(merged.count, 'event')}, mostly this; merged in this report. Busy {timeText(merged.busy_ns)}.
        </div>
      )}
      <div class="tl-tip-facts">
        {kCategories[category].title} · at {momentText(start, lengthOf(model.view))} · {timeText(end - start)}
      </div>
    </>
  );
}

function CounterTip({ target }: { target: Extract<Target, { type: 'counter' }> }) {
  return (
    <>
      <bdi class="tl-tip-name">{target.label}</bdi>
      <div class="tl-tip-facts">{quantityText(target.value, target.unit)}</div>
    </>
  );
}
