import { kOutside, kRoot, widthOf, type ModuleTree, type Named, type Widths } from './module_tree.ts';

export interface FlameBox {
  /** Row of Modules, kRoot or kOutside; of a rest block the row that it is part of. */
  row: number;
  /** How many modules it stands for where they are too narrow to be drawn one by one; 0 for a module. */
  rest: number;
  depth: number;
  /** From the left edge of what is shown, in units of the weight. */
  from: number;
  width: number;
}

export type FlameOrder = 'time' | 'weight';

export interface FlameOptions {
  /** The row at the top. */
  top: number;
  order: FlameOrder;
  /** Narrower ones are merged; in units of the weight. */
  least: number;
}

/** Deeper ones are seen after zooming in: a range can call itself thousands of times. */
export const kMostLevels = 60;

/** Boxes of the tree below a row, each row of boxes from left to right; parents come before their children. */
export function flameBoxes(tree: ModuleTree<Named>, widths: Widths, options: FlameOptions): FlameBox[] {
  const boxes: FlameBox[] = [];
  const width = widthOf(widths, options.top);
  if (!(width > 0)) return boxes;
  boxes.push({ row: options.top, rest: 0, depth: 0, from: 0, width });
  for (let at = 0; at < boxes.length; ++at) {
    const box = boxes[at]!;
    if (box.rest === 0 && box.depth + 1 < kMostLevels) pushChildren(tree, widths, options, box, boxes);
  }
  return boxes;
}

function pushChildren(
  tree: ModuleTree<Named>,
  widths: Widths,
  options: FlameOptions,
  box: FlameBox,
  boxes: FlameBox[],
): void {
  const children = childrenOf(tree, widths, box.row);
  const wide = sorted(
    tree,
    widths,
    children.filter((row) => widthOf(widths, row) >= options.least),
    options.order,
  );
  const depth = box.depth + 1;
  let from = box.from;
  for (const row of wide) {
    const width = widthOf(widths, row);
    boxes.push({ row, rest: 0, depth, from, width });
    from += width;
  }
  const narrow = children.filter((row) => widthOf(widths, row) < options.least);
  const width = narrow.reduce((sum, row) => sum + widthOf(widths, row), 0);
  if (narrow.length > 0 && width >= options.least)
    boxes.push({ row: box.row, rest: narrow.length, depth, from, width });
}

/** Below a row, what weighs anything; at the top with what belongs to no module. */
export function childrenOf(tree: ModuleTree<Named>, widths: Widths, row: number): number[] {
  const rows = row === kRoot ? [...tree.roots, kOutside] : row === kOutside ? [] : tree.children[row]!;
  return rows.filter((child) => widthOf(widths, child) > 0);
}

function sorted(tree: ModuleTree<Named>, widths: Widths, rows: number[], order: FlameOrder): number[] {
  const first = (row: number) => (row === kOutside ? Infinity : tree.modules.first_ns[row]!);
  const compare =
    order === 'time'
      ? (a: number, b: number) => (first(a) < first(b) ? -1 : first(a) > first(b) ? 1 : a - b)
      : (a: number, b: number) => widthOf(widths, b) - widthOf(widths, a) || a - b;
  return rows.sort(compare);
}

/** More boxes than this make the page slow. */
export const kMostBoxes = 4000;

/** Boxes for a chart so many pixels wide that shows `shown` units of the weight: none under 1 px, and not too many. */
export function boxesForPixels(
  tree: ModuleTree<Named>,
  widths: Widths,
  options: Omit<FlameOptions, 'least'> & { pixels: number; shown: number },
): FlameBox[] {
  const perPixel = options.shown / Math.max(1, options.pixels);
  for (let pixels = 1; ; pixels *= 2) {
    const boxes = flameBoxes(tree, widths, { top: options.top, order: options.order, least: pixels * perPixel });
    if (boxes.length <= kMostBoxes || pixels > options.pixels) return boxes;
  }
}

/** The box that an arrow key goes to; undefined where there is none. */
export function boxAfterKey(boxes: readonly FlameBox[], at: number, key: string): number | undefined {
  const box = boxes[at]!;
  const inside = (outer: FlameBox, inner: FlameBox) =>
    inner.from >= outer.from && inner.from < outer.from + outer.width;
  const find = (test: (other: FlameBox) => boolean) => {
    const found = boxes.findIndex(test);
    return found < 0 ? undefined : found;
  };
  switch (key) {
    case 'ArrowDown':
      return find((other) => other.depth === box.depth + 1 && inside(box, other));
    case 'ArrowUp':
      return find((other) => other.depth === box.depth - 1 && inside(other, box));
    case 'ArrowRight':
      return boxes[at + 1]?.depth === box.depth ? at + 1 : undefined;
    case 'ArrowLeft':
      return boxes[at - 1]?.depth === box.depth ? at - 1 : undefined;
    default:
      return undefined;
  }
}
