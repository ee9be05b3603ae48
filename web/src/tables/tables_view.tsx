import './tables_view.css';
import { useMemo, useState } from 'preact/hooks';
import type { TableDocument } from '../data/format.ts';
import type { Report } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';
import { WhenLoaded } from '../page/part.tsx';
import { hashOfTable } from '../page/place.ts';
import { ProfileSwitch } from '../page/profile_switch.tsx';
import { countText } from '../text/units.ts';
import { DataTable } from './data_table.tsx';
import { focusOfRow } from './row_focus.ts';

interface TablesProps {
  report: Report;
  navigation: Navigation;
  /** Name of the table that is shown; null for the first. */
  chosen: string | null;
}

/** All tables of statistics, one at a time. */
export function TablesView({ report, navigation, chosen }: TablesProps) {
  const has = (index: number): boolean => report.profiles[index]?.document.sections.tables !== undefined;
  const [profile, setProfile] = useState(() => (has(0) ? 0 : 1));
  const section = report.profiles[profile]?.section('tables');
  return (
    <>
      <ProfileSwitch report={report} chosen={profile} onChoose={setProfile} />
      {section ? (
        <WhenLoaded of={section}>
          {({ tables }) => <Tables tables={tables} chosen={chosen} profile={profile} navigation={navigation} />}
        </WhenLoaded>
      ) : (
        <p>This profile has no data for tables.</p>
      )}
    </>
  );
}

interface ListProps {
  tables: readonly TableDocument[];
  chosen: string | null;
  profile: number;
  navigation: Navigation;
}

function Tables({ tables, chosen, profile, navigation }: ListProps) {
  const table = tables.find(({ name }) => name === chosen) ?? tables[0];
  if (!table) return <p>This profile has no data for tables.</p>;
  return (
    <div class="tables">
      <TableList tables={tables} chosen={table.name} />
      <OneTable key={`${profile} ${table.name}`} table={table} profile={profile} navigation={navigation} />
    </div>
  );
}

function TableList({ tables, chosen }: { tables: readonly TableDocument[]; chosen: string }) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = tables.filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(wanted));
  return (
    <nav class="table-list no-print" aria-label="Tables">
      <input
        type="search"
        placeholder="Find a table"
        aria-label="Find a table"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <ul>
        {shown.map(({ name, title, rows }) => (
          <li key={name}>
            <a href={hashOfTable(name)} aria-current={name === chosen ? 'true' : undefined} title={name}>
              <span>{title}</span> <span class="table-rows">{countText(rows)}</span>
            </a>
          </li>
        ))}
      </ul>
      {shown.length === 0 ? <p>No table matches.</p> : null}
    </nav>
  );
}

function OneTable({ table, profile, navigation }: Omit<ListProps, 'tables' | 'chosen'> & { table: TableDocument }) {
  const focusOf = useMemo(() => focusOfRow(table, profile), [table, profile]);
  const rowProps = focusOf && {
    rowAction: 'Show on the timeline',
    onRow: (row: number) => {
      const focus = focusOf(row);
      if (focus) navigation.showOnTimeline(focus);
    },
  };
  return (
    <div class="one-table">
      <DataTable
        caption={table.title}
        columns={table.columns}
        total={table.rows}
        {...(table.note ? { note: table.note } : {})}
        {...(rowProps ?? {})}
      />
      <details class="table-description">
        <summary>Description of the columns</summary>
        <p>
          Same table as <code>sonde stats -r {table.name}</code>.
        </p>
        <pre>{table.description}</pre>
      </details>
    </div>
  );
}
