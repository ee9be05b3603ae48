import { memo } from './memo.ts';
import { cutApart } from '../text/kernel_names.ts';
import { cutMiddle } from '../text/names.ts';
import { cellText, exactHeader, exactText, headerText, isText, type DataColumn } from './cells.ts';
import type { Metrics } from './column_widths.ts';
import type { Sort } from './row_order.ts';

/** Tooltips hold no more; a name can have any length. */
const kMostInTooltip = 2000;

/** aria-rowindex counts from 1, and the header is a row. */
export const kFirstRowIndex = 2;

interface HeaderProps {
  columns: readonly DataColumn[];
  sort: Sort | undefined;
  onSort: (column: number) => void;
}

export function HeaderRow({ columns, sort, onSort }: HeaderProps) {
  return (
    <tr aria-rowindex={1}>
      {columns.map((column, i) => {
        const direction = sort?.column !== i ? 'none' : sort.descending ? 'descending' : 'ascending';
        return (
          <th key={i} scope="col" aria-sort={direction} class={isText(column) ? 'text' : 'number'}>
            <button type="button" title={`${exactHeader(column)}: sort`} onClick={() => onSort(i)}>
              <span>{headerText(column)}</span>
              <span class="sort-mark" aria-hidden="true">
                {direction === 'none' ? '' : direction === 'descending' ? '▼' : '▲'}
              </span>
            </button>
          </th>
        );
      })}
    </tr>
  );
}

interface RowProps {
  id: string;
  /** Where it stands, from 0. */
  index: number;
  columns: readonly DataColumn[];
  row: number;
  widths: readonly number[];
  metrics: Metrics;
  active: boolean;
  /** What a click does; undefined where it does nothing. */
  action: string | undefined;
}

function Row({ id, index, columns, row, widths, metrics, active, action }: RowProps) {
  return (
    <tr id={id} aria-rowindex={index + kFirstRowIndex} class={`${active ? 'active' : ''}${action ? ' opens' : ''}`}>
      {columns.map((column, i) => (
        <Cell key={i} column={column} row={row} width={widths[i]!} metrics={metrics} action={action} />
      ))}
    </tr>
  );
}

export const TableRow = memo(Row);

interface CellProps {
  column: DataColumn;
  row: number;
  width: number;
  metrics: Metrics;
  action: string | undefined;
}

function Cell({ column, row, width, metrics, action }: CellProps) {
  const value = column.values[row];
  if (typeof value === 'string') {
    const chars = charsIn(width, metrics);
    return <NameCell name={value} cut={cutText(column, value, chars)} action={action} />;
  }
  const text = cellText(column, value);
  return (
    <td class="number" title={exactText(column, value)}>
      <Bar column={column} value={typeof value === 'number' ? value : 0} />
      <span>{text}</span>
    </td>
  );
}

const charsIn = (width: number, metrics: Metrics): number => Math.floor((width - metrics.padding) / metrics.name);

/** Shown names of a column, cut so that no two look alike; for the width that was asked for last. */
const cutNames = new WeakMap<ReadonlyMap<string, string>, { chars: number; texts: Map<string, string> }>();

function cutText({ shown }: DataColumn, value: string, chars: number): string {
  if (!shown?.has(value)) return cutMiddle(value, chars);
  let cut = cutNames.get(shown);
  if (cut?.chars !== chars) {
    const texts = cutApart([...shown.values()], chars);
    cut = { chars, texts: new Map([...shown.keys()].map((name, i) => [name, texts[i]!])) };
    cutNames.set(shown, cut);
  }
  return cut.texts.get(value)!;
}

function NameCell({ name, cut, action }: { name: string; cut: string; action: string | undefined }) {
  const whole = cutMiddle(name, kMostInTooltip);
  return (
    <td class="text" title={action ? `${whole}\n\n${action}` : whole}>
      <bdi>{cut}</bdi>
    </td>
  );
}

/** The largest amount of a column that diverges, for the length of its bars. */
const scales = new WeakMap<readonly unknown[], number>();

function scaleOf(values: readonly (number | string | null)[]): number {
  let scale = scales.get(values);
  if (scale === undefined) {
    scale = values.reduce<number>((most, v) => (typeof v === 'number' ? Math.max(most, Math.abs(v)) : most), 0);
    scales.set(values, scale);
  }
  return scale;
}

function Bar({ column, value }: { column: DataColumn; value: number }) {
  const kind = column.bar ?? (column.unit === '%' ? 'share' : 'none');
  if (kind === 'none' || value === 0) return null;
  if (kind === 'share') {
    const percent = Math.max(0, Math.min(100, value));
    return <span class="bar share" aria-hidden="true" style={{ width: `${percent}%` }} />;
  }
  const half = (50 * Math.abs(value)) / (scaleOf(column.values) || 1);
  const side = value > 0 ? { left: '50%' } : { right: '50%' };
  return (
    <span
      class={value > 0 ? 'bar more' : 'bar less'}
      aria-hidden="true"
      style={{ ...side, width: `${Math.min(50, half)}%` }}
    />
  );
}

interface WholeProps {
  columns: readonly DataColumn[];
  row: number | undefined;
  widths: readonly number[];
  metrics: Metrics;
}

/** Names of the row at the keyboard that its cells had to cut; shown while the table has the focus. */
export function WholeNames({ columns, row, widths, metrics }: WholeProps) {
  const cut = columns.flatMap((column, i) => {
    const value = row === undefined ? undefined : column.values[row];
    return typeof value === 'string' && value.length > charsIn(widths[i]!, metrics) ? [value] : [];
  });
  if (cut.length === 0) return null;
  return (
    <div class="table-whole no-print">
      {cut.map((name, i) => (
        <bdi key={i}>{cutMiddle(name, kMostInTooltip)}</bdi>
      ))}
    </div>
  );
}
