import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import { Tooltip, type Fact, type TooltipContent } from '../charts/tooltip.tsx';
import { useScheme } from '../theme/use_scheme.ts';
import { useWidth } from '../charts/use_width.ts';
import { cutMiddle } from '../text/names.ts';
import { counted, percentText } from '../text/units.ts';
import { colourOf, textOn, type Scheme } from '../theme/colours.ts';
import { boxAfterKey, boxesForPixels, kMostLevels, type FlameBox, type FlameOrder } from './flame_layout.ts';
import { kOutside, kRoot, type ModuleTree, type Named, type Weight, type Widths } from './module_tree.ts';

export interface FlameChartProps {
  tree: ModuleTree<Named>;
  widths: Widths;
  weight: FlameWeight;
  words: FlameWords;
  /** What the tooltip says of a row. */
  facts: (row: number) => Fact[];
  order: FlameOrder;
  /** The row at the top, and what the full width means: in a comparison more than that row has. */
  top: number;
  shown: number;
  matches: ReadonlySet<number> | null;
  summary: string;
  onZoom: (row: number) => void;
}

type FlameWeight = Pick<Weight, 'key' | 'title' | 'text'>;

/** What the boxes are. */
export interface FlameWords {
  one: string;
  all: string;
  outside: string;
}

const kRowHeight = 20;
/** Of the page's font at 12 px, in the mean; what is longer is clipped by the box. */
const kCharacterWidth = 7;

export function FlameChart(props: FlameChartProps) {
  const { tree, widths, weight, order, top, shown } = props;
  const [ref, pixels] = useWidth<HTMLDivElement>(900);
  const [active, setActive] = useState<number | null>(null);
  const boxes = useMemo(
    () => boxesForPixels(tree, widths, { top, order, pixels, shown }),
    [tree, widths, top, order, pixels, shown],
  );
  useEffect(() => setActive(null), [boxes]);
  const box = active === null ? undefined : boxes[active];
  const zoom = (row: number) => {
    if (row !== kOutside) props.onZoom(row === top ? parentOf(tree, row) : row);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') props.onZoom(parentOf(tree, top));
    else if (event.key === 'Enter' && box) zoom(box.row);
    else if (event.key.startsWith('Arrow'))
      setActive((at) => (at === null ? 0 : (boxAfterKey(boxes, at, event.key) ?? at)));
    else return;
    event.preventDefault();
  };
  const id = useId();
  const scheme = useScheme();
  const drawn = useMemo(
    () => (
      <FlameBoxes
        {...{
          tree,
          weight,
          words: props.words,
          shown,
          pixels,
          boxes,
          scheme,
          id,
          matches: props.matches,
          onLook: setActive,
          onBox: zoom,
        }}
      />
    ),
    [boxes, weight, scheme, props.matches, props.onZoom],
  );
  const depth = boxes.reduce((most, one) => Math.max(most, one.depth), 0);
  return (
    <div class="sonde-flame-frame">
      <div
        ref={ref}
        class="sonde-flame"
        role="tree"
        tabIndex={0}
        aria-label={props.summary}
        aria-activedescendant={box ? `${id}-${active}` : undefined}
        style={{ height: `${(depth + 1) * kRowHeight}px` }}
        onKeyDown={onKeyDown}
        onPointerLeave={() => setActive(null)}
        onBlur={() => setActive(null)}
      >
        {drawn}
        {box && <div class="sonde-flame-active" style={placeOf(box, shown)} />}
      </div>
      <Tooltip
        content={box ? contentOf(props, box) : null}
        x={box ? ((box.from + Math.min(box.width / 2, 80 * (shown / pixels))) / shown) * pixels : 0}
        y={box ? (box.depth + 1) * kRowHeight + 4 : 0}
        width={pixels}
      />
      {depth + 1 === kMostLevels && (
        <p class="sonde-muted sonde-hint">{`Shown: ${kMostLevels} levels. Zoom in to see deeper levels.`}</p>
      )}
    </div>
  );
}

export const parentOf = (tree: ModuleTree<Named>, row: number): number => (row < 0 ? kRoot : tree.modules.parent[row]!);

export function titleOf(tree: ModuleTree<Named>, words: FlameWords, row: number): string {
  if (row === kRoot) return words.all;
  return row === kOutside ? words.outside : tree.modules.name[row]!;
}

function contentOf(
  { tree, weight, widths, words, top, facts: factsOf }: FlameChartProps,
  box: FlameBox,
): TooltipContent {
  const share = percentText(widths.whole > 0 ? (100 * box.width) / widths.whole : null);
  if (box.rest > 0)
    return {
      title: `${counted(box.rest, words.one)} too narrow to draw`,
      facts: [[weight.title, `${weight.text(box.width)} (${share})`]],
      action: `Click or Enter: zoom into the ${words.one} around them`,
    };
  const action =
    box.row === kOutside
      ? undefined
      : box.row === top && top !== kRoot
        ? 'Click or Enter: zoom out'
        : 'Click or Enter: zoom in';
  const own = (weight.key === 'copied' || weight.key === 'host') && box.row < 0;
  const facts = factsOf(box.row);
  return {
    title: titleOf(tree, words, box.row),
    facts: own ? [[weight.title, weight.text(box.width)] as const, ...facts] : facts,
    action: box.row === kRoot ? undefined : action,
  };
}

const placeOf = (box: FlameBox, shown: number) => ({
  left: `${(100 * box.from) / shown}%`,
  width: `${(100 * box.width) / shown}%`,
  top: `${box.depth * kRowHeight}px`,
});

interface FlameBoxesProps {
  tree: ModuleTree<Named>;
  weight: FlameWeight;
  words: FlameWords;
  shown: number;
  pixels: number;
  boxes: readonly FlameBox[];
  matches: ReadonlySet<number> | null;
  scheme: Scheme;
  id: string;
  onLook: (index: number) => void;
  onBox: (row: number) => void;
}

function FlameBoxes(props: FlameBoxesProps) {
  const { tree, boxes, shown, pixels, weight, words, id, onLook, onBox } = props;
  return (
    <>
      {boxes.map((box, index) => {
        const name = box.rest > 0 ? '' : titleOf(tree, words, box.row);
        const letters = Math.floor(((box.width / shown) * pixels - 8) / kCharacterWidth);
        return (
          <div
            key={`${box.row} ${box.rest > 0}`}
            id={`${id}-${index}`}
            role="treeitem"
            aria-level={box.depth + 1}
            aria-label={`${cutMiddle(name || counted(box.rest, `narrow ${words.one}`), 120)}, ${weight.text(box.width)}`}
            class={classOf(box, props.matches)}
            style={{ ...placeOf(box, shown), ...coloursOf(box, name, props.scheme) }}
            onPointerEnter={() => onLook(index)}
            onClick={() => onBox(box.row)}
          >
            {letters >= 3 && name && <bdi>{cutMiddle(name, letters)}</bdi>}
          </div>
        );
      })}
    </>
  );
}

function classOf(box: FlameBox, matches: ReadonlySet<number> | null): string {
  if (box.rest > 0) return 'sonde-flame-box rest';
  const kind = box.row === kOutside ? 'outside' : box.row === kRoot ? 'root' : '';
  const search = !matches || box.row === kRoot ? '' : matches.has(box.row) ? 'found' : 'not-found';
  return `sonde-flame-box ${kind} ${search}`;
}

function coloursOf(box: FlameBox, name: string, scheme: Scheme) {
  if (box.rest > 0 || box.row < 0) return {};
  return { background: colourOf('range', name, scheme), color: textOn('range', name, scheme) };
}
