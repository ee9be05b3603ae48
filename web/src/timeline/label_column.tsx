import { useMemo } from 'preact/hooks';
import { labelText } from './label_text.ts';
import { itemsBetween, type Item } from './layout.ts';
import type { TimelineModel } from './timeline_model.ts';

/** Labels beyond the screen, so that scrolling does not show gaps. CSS pixels. */
const kBeyond = 400;
const kIndent = 10;
/** Of the mark that folds, and beside the column's border. */
const kBesideText = 14 + 8;

/** Labels are as timeline.css sets them; headings are bold. */
const kLabelFont = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif";
let pen: CanvasRenderingContext2D | null | undefined;
const kGuess = 7;

function measure(text: string, bold: boolean): number {
  pen ??= document.createElement('canvas').getContext('2d');
  if (!pen) return kGuess * text.length;
  pen.font = bold ? `600 ${kLabelFont}` : kLabelFont;
  return pen.measureText(text).width;
}

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
  const bold = item.type === 'group';
  const room = Math.max(20, width - indent - kBesideText);
  const text = useMemo(() => labelText(item.label, room, (part) => measure(part, bold)), [item.label, room, bold]);
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
