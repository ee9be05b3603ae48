import { bytesText, countText, percentText, rateText, timeText } from '../text/units.ts';
import { colourOf } from '../theme/colours.ts';
import type { CopySum } from './copies.ts';
import { sumOf } from './thin.ts';
import { useScheme } from '../theme/use_scheme.ts';

/** Percent of the bytes; null where the size is not known. */
const shareOf = (sum: CopySum, whole: number): number | null =>
  sum.bytes === null || whole === 0 ? null : (100 * sum.bytes) / whole;

/** A small table of sums with a bar for the share of the bytes. */
export function CopySums(props: {
  title: string;
  name: string;
  sums: readonly CopySum[];
  /** Sums have one category each, and its colour. */
  coloured?: boolean;
}) {
  const { title, name, sums, coloured } = props;
  const scheme = useScheme();
  if (sums.length === 0) return null;
  const whole = sumOf(sums.map((sum) => sum.bytes));
  return (
    <table class="sonde-bars sums">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">{name}</th>
          {['copies', 'bytes', 'time', 'bandwidth', 'share of bytes'].map((text) => (
            <th key={text} scope="col" class="number">
              {text}
            </th>
          ))}
          <td />
        </tr>
      </thead>
      <tbody>
        {sums.map((sum) => (
          <tr key={sum.title}>
            <th scope="row">
              <bdi>{sum.title}</bdi>
            </th>
            <td class="number">{countText(sum.count)}</td>
            <td class="number">{bytesText(sum.bytes)}</td>
            <td class="number">{timeText(sum.total_ns)}</td>
            <td class="number">{rateText(sum.bytes_per_s)}</td>
            <td class="number">{percentText(shareOf(sum, whole))}</td>
            <td class="bar">
              <div
                style={{
                  width: `${shareOf(sum, whole) ?? 0}%`,
                  ...(coloured ? { background: colourOf(sum.category, '', scheme) } : {}),
                }}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
