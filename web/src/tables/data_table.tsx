import type { TableUnit } from '../data/format.ts';

export interface DataColumn {
  name: string;
  unit: TableUnit;
  decimals?: number;
  values: readonly (number | string | null)[];
}

export interface DataTableProps {
  caption: string;
  columns: readonly DataColumn[];
  total?: number;
  sort?: { column: number; descending: boolean };
  onRow?: (row: number) => void;
  rowAction?: string;
  note?: string;
}

export function DataTable({ caption, columns, onRow, rowAction, note }: DataTableProps) {
  const rows = Math.min(20, columns[0]?.values.length ?? 0);
  return (
    <div style={{ overflowX: 'auto' }}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th>{column.name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: rows }, (_, row) => (
            <tr>
              {columns.map((column) => (
                <td>
                  <bdi>{String(column.values[row] ?? '–').slice(0, 60)}</bdi>
                </td>
              ))}
              {onRow && (
                <td>
                  <button onClick={() => onRow(row)}>{rowAction}</button>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {note && <p>{note}</p>}
    </div>
  );
}
