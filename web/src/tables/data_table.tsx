import './data_table.css';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { counted, countText } from '../text/units.ts';
import { copyText, saveText } from './clipboard.ts';
import { columnWidths } from './column_widths.ts';
import { csvFileName, csvOf } from './csv.ts';
import type { CellValue, DataColumn } from './cells.ts';
import { filterRows, parseFilter } from './row_filter.ts';
import { nextSort, sortRows, type Sort } from './row_order.ts';
import { HeaderRow, kFirstRowIndex, TableRow, WholeNames } from './table_rows.tsx';
import { useBox } from './use_box.ts';
import { usePrinting } from '../page/printing.ts';
import { useMetrics } from './use_metrics.ts';

export type { CellValue, DataColumn };

export interface DataTableProps {
  caption: string;
  columns: readonly DataColumn[];
  /** Rows there are in all, if the columns hold fewer. */
  total?: number;
  sort?: Sort;
  onRow?: (row: number) => void;
  /** What activating a row does, for the tooltip: "Show on the timeline". */
  rowAction?: string;
  note?: string;
}

/** Pixels; style sheet and scroll positions agree on it. */
const kRowHeight = 24;
const kRowsOnPaper = 200;
/** Rows beyond what is seen, so that scrolling does not show gaps. */
const kSpareRows = 12;

function countsText(shown: number, rows: number, total: number): string {
  const held = total > rows ? `showing ${countText(rows)} of ${countText(total)} rows` : counted(rows, 'row');
  return shown === rows ? held : `${countText(shown)} match, ${held}`;
}

/**
 * A table of any length: sorts, filters, copies what it shows as CSV. Columns are as long as each other. Arrow keys move
 * over the rows, Enter activates one; only the rows that are seen are in the document.
 */
export function DataTable(props: DataTableProps) {
  const { columns } = props;
  const rows = columns[0]?.values.length ?? 0;
  const [text, setText] = useState('');
  const [sort, setSort] = useState<Sort | undefined>(props.sort);
  const shown = useMemo(() => {
    const filter = parseFilter(columns, text, sort?.column ?? -1);
    return sortRows(columns, filterRows(columns, rows, filter), sort);
  }, [columns, rows, text, sort]);
  const title = useId();
  return (
    <section class="data-table">
      <div class="table-tools">
        <h3 id={title}>{props.caption}</h3>
        <span class="table-count" role="status">
          {countsText(shown.length, rows, props.total ?? rows)}
        </span>
        <FilterField text={text} onText={setText} caption={props.caption} />
        <CsvButtons columns={columns} rows={shown} caption={props.caption} />
      </div>
      <TableBody {...props} titleId={title} shown={shown} filter={text} sorted={sort} onSort={setSort} />
      {props.note ? <p class="table-note">{props.note}</p> : null}
    </section>
  );
}

function FilterField({ text, onText, caption }: { text: string; onText: (text: string) => void; caption: string }) {
  return (
    <input
      class="table-filter no-print"
      type="search"
      placeholder="Filter"
      aria-label={`Filter ${caption}`}
      title={'Text that any column contains.\n"total>1ms" limits a column, ">5" the sorted one.'}
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  );
}

interface CsvButtonsProps {
  columns: readonly DataColumn[];
  rows: readonly number[];
  caption: string;
}

function CsvButtons({ columns, rows, caption }: CsvButtonsProps) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    const timer = said ? setTimeout(() => setSaid(''), 2500) : undefined;
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () =>
    setSaid(
      (await copyText(csvOf(columns, rows))) ? `Copied ${counted(rows.length, 'row')}` : 'The browser forbids it',
    );
  const save = () => saveText(csvFileName(caption), 'text/csv;charset=utf-8', csvOf(columns, rows));
  return (
    <span class="table-buttons no-print">
      <span class="table-said" role="status">
        {said}
      </span>
      <button type="button" onClick={copy} aria-label={`Copy ${caption} as CSV`}>
        Copy CSV
      </button>
      <button type="button" onClick={save} aria-label={`Download ${caption} as CSV`}>
        Download
      </button>
    </span>
  );
}

interface TableBodyProps extends DataTableProps {
  titleId: string;
  /** Rows in the order in which they stand. */
  shown: readonly number[];
  sorted: Sort | undefined;
  onSort: (sort: Sort) => void;
  filter: string;
}

const kKeys: Record<string, (at: number, page: number, last: number) => number> = {
  ArrowDown: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  PageDown: (at, page) => at + page,
  PageUp: (at, page) => at - page,
  Home: () => 0,
  End: (_at, _page, last) => last,
};

function TableBody(props: TableBodyProps) {
  const { columns, shown } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const { width, height } = useBox(scroller);
  const metrics = useMetrics(scroller);
  const [top, setTop] = useState(0);
  const [active, setActive] = useState(0);
  const printing = usePrinting();
  const id = useId();
  const widths = useMemo(() => columnWidths(columns, width, metrics), [columns, width, metrics]);
  useEffect(() => {
    setActive(0);
    if (scroller.current) scroller.current.scrollTop = 0;
  }, [props.sorted, props.filter]);
  const first = printing ? 0 : Math.max(0, Math.floor(top / kRowHeight) - kSpareRows);
  const last = printing
    ? Math.min(shown.length, kRowsOnPaper)
    : Math.min(shown.length, Math.ceil((top + (height || 600)) / kRowHeight) + kSpareRows);

  const moveTo = (row: number) => {
    const to = Math.max(0, Math.min(shown.length - 1, row));
    setActive(to);
    scrollIntoView(scroller.current, to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(height / kRowHeight) - 2);
    const move = kKeys[event.key];
    if (move) moveTo(move(active, page, shown.length - 1));
    else if (event.key === 'Enter' && shown[active] !== undefined) props.onRow?.(shown[active]);
    else return;
    event.preventDefault();
  };
  const onClick = (event: MouseEvent) => {
    const index = (event.target as Element).closest('tr')?.getAttribute('aria-rowindex');
    const row = index ? shown[Number(index) - kFirstRowIndex] : undefined;
    if (row === undefined) return;
    setActive(Number(index) - kFirstRowIndex);
    // A name that is being marked to be copied is no click.
    if (getSelection()?.isCollapsed !== false) props.onRow?.(row);
  };
  return (
    <>
      <div
        class="table-scroll"
        ref={scroller}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        style={{ maxHeight: printing ? 'none' : undefined }}
      >
        <table
          role="grid"
          tabIndex={0}
          aria-labelledby={props.titleId}
          aria-rowcount={shown.length + 1}
          aria-activedescendant={active >= first && active < last ? `${id}-${active}` : undefined}
          style={{ width: `${widths.reduce((a, b) => a + b, 0)}px` }}
          onKeyDown={onKeyDown}
        >
          <colgroup>
            {widths.map((pixels, i) => (
              <col key={i} style={{ width: `${pixels}px` }} />
            ))}
          </colgroup>
          <thead>
            <HeaderRow
              columns={columns}
              sort={props.sorted}
              onSort={(column) => props.onSort(nextSort(columns, props.sorted, column))}
            />
          </thead>
          <tbody onClick={onClick}>
            <Gap rows={first} />
            {shown.slice(first, last).map((row, i) => (
              <TableRow
                key={row}
                id={`${id}-${first + i}`}
                index={first + i}
                columns={columns}
                row={row}
                widths={widths}
                metrics={metrics}
                active={first + i === active}
                action={props.onRow ? (props.rowAction ?? 'Open') : undefined}
              />
            ))}
            {printing ? null : <Gap rows={shown.length - last} />}
          </tbody>
        </table>
      </div>
      {shown.length === 0 ? <p class="table-note">No row matches.</p> : null}
      {printing && shown.length > last ? (
        <p class="table-note">{`On paper the first ${countText(last)} of ${countText(shown.length)} rows.`}</p>
      ) : null}
      <WholeNames columns={columns} row={shown[active]} widths={widths} metrics={metrics} />
    </>
  );
}

/** Stands for rows that are not seen. */
function Gap({ rows }: { rows: number }) {
  return rows > 0 ? <tr class="table-gap" aria-hidden="true" style={{ height: `${rows * kRowHeight}px` }} /> : null;
}

function scrollIntoView(scroller: HTMLElement | null, row: number): void {
  if (!scroller) return;
  const header = scroller.querySelector('thead')?.getBoundingClientRect().height ?? 0;
  const from = row * kRowHeight;
  const room = scroller.clientHeight - header;
  if (from < scroller.scrollTop) scroller.scrollTop = from;
  else if (from + kRowHeight > scroller.scrollTop + room) scroller.scrollTop = from + kRowHeight - room;
}
