import { useMemo, useRef } from 'preact/hooks';
import type { Distribution } from '../data/format.ts';
import { countText, percentText, timeText } from '../text/units.ts';
import { useBox } from '../tables/use_box.ts';
import { useMetrics } from '../tables/use_metrics.ts';
import { cutApart, shortKernelNames } from '../text/kernel_names.ts';
import { titleOf } from './name.tsx';
import { hashOfPart } from './place.ts';

interface TopNamesProps {
  title: string;
  rows: readonly (Distribution & { name: string })[];
  /** Of which the rows' times are a share. */
  total_ns: number;
  /** Where all of them are. */
  more?: { part: string; text: string };
}

const kShown = 10;
/** Pixels of the columns beside the names. */
const kNumbers = 300;
/** Characters before the width is known. */
const kGuess = 64;

/** The names with the most time. */
export function TopNames({ title, rows, total_ns, more }: TopNamesProps) {
  const section = useRef<HTMLElement>(null);
  const { width } = useBox(section);
  const metrics = useMetrics(section);
  const names = useMemo(() => [...shortKernelNames(rows.slice(0, kShown).map(({ name }) => name)).values()], [rows]);
  if (rows.length === 0) return null;
  const most = width > 0 ? Math.max(16, Math.floor((width - kNumbers) / metrics.name)) : kGuess;
  const cut = cutApart(names, most);
  return (
    <section class="top-names" ref={section}>
      <h2>
        {title} {more ? <a href={hashOfPart(more.part)}>{more.text}</a> : null}
      </h2>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col" class="number">
              Time
            </th>
            <th scope="col" class="number">
              Total
            </th>
            <th scope="col" class="number">
              Count
            </th>
            <th scope="col" class="number">
              Average
            </th>
            <th scope="col">Name</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, kShown).map((row, i) => (
            <TopRow key={i} row={row} shown={cut[i]!} share={total_ns > 0 ? (100 * row.total_ns) / total_ns : null} />
          ))}
        </tbody>
      </table>
      {rows.length > kShown ? <p class="muted">and {countText(rows.length - kShown)} more names</p> : null}
    </section>
  );
}

function TopRow(props: { row: Distribution & { name: string }; share: number | null; shown: string }) {
  const { row, share, shown } = props;
  return (
    <tr>
      <td class="number shared">
        <span class="bar share" aria-hidden="true" style={{ width: `${share ?? 0}%` }} />
        <span>{percentText(share)}</span>
      </td>
      <td class="number">{timeText(row.total_ns)}</td>
      <td class="number">{countText(row.count)}</td>
      <td class="number">{timeText(row.average_ns)}</td>
      <td class="name">
        <bdi title={titleOf(row.name, shown)}>{shown}</bdi>
      </td>
    </tr>
  );
}
