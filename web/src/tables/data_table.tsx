import './data_table.css';
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import { counted, countText } from '../text/units.ts';
import { copyText, saveText } from '../text/clipboard.ts';
import { csvFileName, csvOf } from './csv.ts';
import type { CellValue, DataColumn } from './cells.ts';
import { filterRows, parseFilter } from './row_filter.ts';
import { sortRows, type Sort } from './row_order.ts';
import { TableBody } from './table_body.tsx';

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
      <TableBody
        columns={columns}
        titleId={title}
        shown={shown}
        filter={text}
        sorted={sort}
        onSort={setSort}
        onRow={props.onRow}
        rowAction={props.rowAction}
      />
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
      title={'Text to find in any column.\n"total>1ms" filters a column, ">5" filters the sorted column.'}
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
      (await copyText(csvOf(columns, rows)))
        ? `Copied ${counted(rows.length, 'row')}`
        : 'The browser does not allow it',
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
