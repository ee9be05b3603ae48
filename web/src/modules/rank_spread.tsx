import type { Modules } from '../data/format.ts';
import { cutMiddle } from '../text/names.ts';
import { counted, percentText, timeText } from '../text/units.ts';
import { rankTitle } from './module_columns.ts';
import { mostUneven, spreadOf, type Spread } from './module_facts.ts';
import { pathTexts } from './module_tree.ts';
import { isolated } from '../charts/isolated.ts';
import { lettersFor } from '../charts/bars.tsx';
import { useWidth } from '../charts/use_width.ts';
import { ChartFrame } from '../charts/chart_frame.tsx';

const kMostRows = 12;

/** The modules in which ranks differ most: least, mean and most GPU time of a rank, on one scale. */
export function RankSpread({ modules, ranks }: { modules: Modules; ranks: readonly string[] }) {
  const count = modules.device_by_rank_ns?.length ?? 0;
  const [ref, width] = useWidth<HTMLTableElement>();
  if (count < 2) return null;
  const rows = mostUneven(modules, kMostRows);
  if (rows.length === 0)
    return <p class="sonde-muted">{`All ${count} ranks have the same GPU time in every module.`}</p>;
  const paths = pathTexts(modules);
  const spreads = rows.map((row) => spreadOf(modules, row)!);
  const most = Math.max(...spreads.map((spread) => spread.maximum));
  return (
    <ChartFrame
      title={`GPU time by rank: the most uneven modules of ${counted(count, 'rank')}`}
      says={saysOf(spreads[0]!, paths[rows[0]!]!, ranks)}
    >
      <table ref={ref} class="sonde-bars">
        <thead>
          <tr>
            <th scope="col">module</th>
            <th scope="col" class="number">
              least
            </th>
            <th scope="col" class="number">
              mean
            </th>
            <th scope="col" class="number">
              most
            </th>
            <th scope="col">on</th>
            <td class="axis">
              <span>0</span>
              <span>{timeText(most)}</span>
            </td>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <SpreadRow
              key={row}
              path={paths[row]!}
              spread={spreads[index]!}
              most={most}
              ranks={ranks}
              letters={lettersFor(width)}
            />
          ))}
        </tbody>
      </table>
    </ChartFrame>
  );
}

function saysOf(worst: Spread, path: string, ranks: readonly string[]): string {
  const more = worst.mean > 0 ? percentText(100 * (worst.maximum / worst.mean - 1)) : 'only on this rank';
  return `${isolated(path)} takes ${timeText(worst.maximum)} on ${isolated(rankTitle(ranks, worst.slowest))}, ${more} more than the mean of the ranks (${timeText(worst.mean)}).`;
}

function SpreadRow(props: { path: string; spread: Spread; most: number; ranks: readonly string[]; letters: number }) {
  const { path, spread, most, ranks, letters } = props;
  const at = (value: number) => `${(100 * value) / most}%`;
  return (
    <tr>
      <th scope="row" title={cutMiddle(path, 1200)}>
        <bdi>{cutMiddle(path, letters)}</bdi>
      </th>
      <td class="number">{timeText(spread.minimum)}</td>
      <td class="number">{timeText(spread.mean)}</td>
      <td class="number">{timeText(spread.maximum)}</td>
      <td>
        <bdi>{rankTitle(ranks, spread.slowest)}</bdi>
      </td>
      <td class="bar">
        <svg class="spread" width="100%" height="14" aria-hidden="true">
          <line class="whisker" x1={at(spread.minimum)} x2={at(spread.maximum)} y1="7" y2="7" />
          <line class="end" x1={at(spread.minimum)} x2={at(spread.minimum)} y1="3" y2="11" />
          <line class="end" x1={at(spread.maximum)} x2={at(spread.maximum)} y1="3" y2="11" />
          <circle cx={at(spread.mean)} cy="7" r="3.5" />
        </svg>
      </td>
    </tr>
  );
}
