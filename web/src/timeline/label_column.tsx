import { cutMiddle } from '../text/names.ts';
import { itemsBetween, type Item } from './layout.ts';
import type { TimelineModel } from './timeline_model.ts';

/** Labels beyond the screen, so that scrolling does not show gaps. CSS pixels. */
const kBeyond = 400;
/** Of the labels' font, on average; headings are bold. */
const kCharacter = 6.6;
const kBoldCharacter = 7.9;
const kIndent = 10;

export interface LabelColumnProps {
  model: TimelineModel;
  width: number;
  scrollTop: number;
}

/** Headings and track labels, left of the canvas; only those near the screen are there. */
export function LabelColumn({ model, width, scrollTop }: LabelColumnProps) {
  const { layout } = model;
  const [begin, end] = itemsBetween(layout, scrollTop - kBeyond, scrollTop + model.height + kBeyond);
  return (
    <div class="tl-labels" style={{ width: `${width}px`, height: `${layout.height}px` }}>
      {layout.items.slice(begin, end).map((item) => (
        <Label key={item.key} item={item} width={width} toggle={() => model.toggle(item.key)} />
      ))}
    </div>
  );
}

function Label({ item, width, toggle }: { item: Item; width: number; toggle: () => void }) {
  const indent = 6 + Math.min(4, item.depth) * kIndent;
  const character = item.type === 'group' ? kBoldCharacter : kCharacter;
  const text = cutMiddle(item.label, Math.max(4, Math.floor((width - indent - 20) / character)));
  const style = { top: `${item.y}px`, height: `${item.height}px`, paddingLeft: `${indent}px` };
  if (item.type === 'track' && !item.foldable) {
    return (
      <div class="tl-label" style={style} title={item.label}>
        <span class="tl-fold" />
        <bdi>{text}</bdi>
      </div>
    );
  }
  return (
    <button
      type="button"
      class={item.type === 'group' ? 'tl-label tl-heading' : 'tl-label'}
      style={style}
      title={item.label}
      aria-expanded={item.open}
      onClick={toggle}
    >
      <span class="tl-fold" aria-hidden="true">
        {item.open ? '▾' : '▸'}
      </span>
      <bdi>{text}</bdi>
    </button>
  );
}
