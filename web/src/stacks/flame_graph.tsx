import { useMemo, useState } from 'preact/hooks';
import type { Fact } from '../charts/tooltip.tsx';
import { Breadcrumb } from '../modules/breadcrumb.tsx';
import { FlameChart, type FlameWords } from '../modules/flame_chart.tsx';
import {
  keyOf,
  matchesOf,
  rowAtPath,
  rowsAbove,
  treeOf,
  weightOfRows,
  widthOf,
  widthsOf,
  type WeightOf,
} from '../modules/module_tree.ts';
import { counted, percentText } from '../text/units.ts';
import { inverted, namesOf, type Frames, type StackNames } from './stack_tree.ts';

/** What the boxes of a flame graph are, and what their width means. */
export interface FlameGraphWords extends FlameWords {
  weight: WeightOf<StackNames>;
  /** What a search finds. */
  found: string;
  /** "of the samples" */
  ofAll: string;
  summary: string;
}

/** A tree of frames by what each took, from its roots or from the frames that took it; `text` is searched for. */
export function FlameGraph(props: {
  frames: Frames;
  /** What all frames took together, and a sentence on it. */
  whole: number;
  says: string;
  turned: boolean;
  text: string;
  words: FlameGraphWords;
  factsOf: (names: StackNames, row: number) => Fact[];
}) {
  const { frames, whole, turned, text, words } = props;
  const { weight } = words;
  const [path, setPath] = useState<readonly string[]>([]);
  const tree = useMemo(() => treeOf(namesOf(turned ? inverted(frames) : frames)), [frames, turned]);
  const widths = useMemo(() => widthsOf(tree, weight), [tree, weight]);
  const names = tree.modules;
  const matches = useMemo(() => matchesOf(names, text), [names, text]);
  const onZoom = useMemo(
    () => (row: number) => setPath(rowsAbove(names, row).map((above) => keyOf(names, above))),
    [names],
  );
  const top = rowAtPath(tree, path) ?? -1;
  const share = (value: number) => percentText((100 * value) / whole);
  const facts = (row: number): Fact[] => {
    if (row < 0) return [[weight.title, weight.text(whole)]];
    return [
      [weight.title, `${weight.text(names.total[row]!)} (${share(names.total[row]!)})`],
      ...props.factsOf(names, row),
    ];
  };
  const says = matches
    ? `${counted(matches.size, words.found)} found, with ${share(weightOfRows(tree, widths, matches))} ${words.ofAll}.`
    : props.says;
  return (
    <>
      <p class="sonde-caption">{says}</p>
      <div>
        <Breadcrumb modules={names} all={words.all} top={top} onZoom={onZoom} />
        <FlameChart
          {...{ tree, widths, weight, words, top, matches, onZoom, facts }}
          order="weight"
          shown={widthOf(widths, top)}
          summary={`${words.summary} ${says}`}
        />
      </div>
    </>
  );
}
