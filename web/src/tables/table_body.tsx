import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { usePrinting } from '../page/printing.ts';
import { countText } from '../text/units.ts';
import type { DataColumn } from './cells.ts';
import { columnWidths } from './column_widths.ts';
import { paperLayout } from './paper.ts';
import { nextSort, type Sort } from './row_order.ts';
import { kRowHeight, moveOfKey, scrollIntoView, visibleRows } from './row_window.ts';
import { HeaderRow, kFirstRowIndex, TableRow, WholeNames } from './table_rows.tsx';
import { useBox } from './use_box.ts';
import { useMetrics } from './use_metrics.ts';

const kRowsOnPaper = 200;

interface TableBodyProps {
  columns: readonly DataColumn[];
  titleId: string;
  /** Rows in the order in which they stand. */
  shown: readonly number[];
  filter: string;
  sorted: Sort | undefined;
  onSort: (sort: Sort) => void;
  onRow?: ((row: number) => void) | undefined;
  rowAction?: string | undefined;
}

/** The rows that are seen, in a box of its own that scrolls. */
export function TableBody(props: TableBodyProps) {
  const { shown } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const box = useBox(scroller);
  const metrics = useMetrics(scroller);
  const [top, setTop] = useState(0);
  const [active, setActive] = useState(0);
  const printing = usePrinting();
  const paper = useMemo(
    () => (printing ? paperLayout(props.columns, metrics) : null),
    [printing, props.columns, metrics],
  );
  const columns = useMemo(() => paper?.columns.map((i) => props.columns[i]!) ?? props.columns, [paper, props.columns]);
  const id = useId();
  const widths = useMemo(() => columnWidths(columns, box.width, metrics), [columns, box.width, metrics]);
  useEffect(() => {
    setActive(0);
    if (scroller.current) scroller.current.scrollTop = 0;
  }, [props.sorted, props.filter]);
  const [first, last] = printing
    ? [0, Math.min(shown.length, kRowsOnPaper)]
    : visibleRows(top, box.height, shown.length);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = moveOfKey(event.key, active, box.height, shown.length);
    if (to !== undefined) {
      setActive(to);
      scrollIntoView(scroller.current, to);
    } else if (event.key === 'Enter' && shown[active] !== undefined) props.onRow?.(shown[active]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div
        class="table-scroll"
        ref={scroller}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        style={paper ? { zoom: paper.zoom } : {}}
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
          <Columns widths={widths} />
          <thead>
            <HeaderRow
              columns={columns}
              sort={
                props.sorted && paper
                  ? { ...props.sorted, column: paper.columns.indexOf(props.sorted.column) }
                  : props.sorted
              }
              onSort={(column) => props.onSort(nextSort(columns, props.sorted, column))}
            />
          </thead>
          <tbody onClick={(event) => clickRow(event, props, setActive)}>
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
      {shown.length === 0 ? <p class="table-note">{props.filter ? 'No row matches.' : 'No rows.'}</p> : null}
      {paper ? <PaperNote rows={[last, shown.length]} columns={[columns.length, props.columns.length]} /> : null}
      <WholeNames columns={columns} row={shown[active]} widths={widths} metrics={metrics} />
    </>
  );
}

function clickRow(event: MouseEvent, { shown, onRow }: TableBodyProps, setActive: (row: number) => void): void {
  const index = (event.target as Element).closest('tr')?.getAttribute('aria-rowindex');
  const row = index ? shown[Number(index) - kFirstRowIndex] : undefined;
  if (row === undefined) return;
  setActive(Number(index) - kFirstRowIndex);
  // A name that is being marked to be copied is no click.
  if (getSelection()?.isCollapsed !== false) onRow?.(row);
}

/** What paper does not hold: [shown, all]. */
function PaperNote({ rows, columns }: { rows: [number, number]; columns: [number, number] }) {
  const cut = ([some, all]: [number, number], what: string): string[] =>
    some < all ? [`${countText(some)} of ${countText(all)} ${what}`] : [];
  const left = [...cut(rows, 'rows'), ...cut(columns, 'columns')];
  return left.length > 0 ? <p class="table-note">Printed: {left.join(' and ')}.</p> : null;
}

function Columns({ widths }: { widths: readonly number[] }) {
  return (
    <colgroup>
      {widths.map((pixels, i) => (
        <col key={i} style={{ width: `${pixels}px` }} />
      ))}
    </colgroup>
  );
}

/** Stands for rows that are not seen. */
function Gap({ rows }: { rows: number }) {
  return rows > 0 ? <tr class="table-gap" aria-hidden="true" style={{ height: `${rows * kRowHeight}px` }} /> : null;
}
