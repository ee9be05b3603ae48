import { useMemo, useState } from 'preact/hooks';
import { Select } from '../../charts/chart_frame.tsx';
import type { DataColumn } from '../../tables/cells.ts';
import { DataTable } from '../../tables/data_table.tsx';
import { kAbsent } from '../../text/units.ts';
import type { Waste } from '../api/types.ts';
import type { Service } from '../state/service.ts';
import { useStore } from '../state/store.ts';
import { useLoad } from '../state/use_load.ts';
import { wasteByKind, wasteRows, type WasteRow } from '../state/waste_sums.ts';
import { isKnown } from '../text/format.ts';
import { texts } from '../text/texts.ts';
import { LoadState } from './loading.tsx';
import { PlainTable } from './plain_table.tsx';

const kDays = [1, 7, 30];

const kindText = ({ kind }: WasteRow): string => texts.waste.kinds[kind] ?? kind;

const fixed = (value: number | null, digits: number): string =>
  isKnown(value)
    ? value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
    : kAbsent;

export function WasteView({ service }: { service: Service }) {
  const [days, setDays] = useState(7);
  const samples = useStore(service.samples);
  // The ledger grows slowly.
  const minute = samples === 0 ? 0 : Math.floor(Date.now() / 60_000);
  const loaded = useLoad(service, String(days), minute, () => service.client.waste(days));
  const { waste: text } = texts;
  return (
    <section aria-labelledby="waste-heading">
      <div class="tools">
        <h2 id="waste-heading">{text.heading}</h2>
        <Select
          label={text.days}
          choices={kDays.map((count) => ({ key: String(count), title: text.lastDays(count) }))}
          value={String(days)}
          onChoose={(key) => setDays(Number(key))}
        />
      </div>
      <p class="muted">{text.explains}</p>
      <LoadState of={loaded} />
      {loaded.value && <Ledger waste={loaded.value} />}
    </section>
  );
}

function Ledger({ waste }: { waste: Waste }) {
  const { waste: text } = texts;
  const rows = useMemo(() => wasteRows(waste), [waste]);
  const columns = useMemo(() => columnsOf(rows, waste), [rows, waste]);
  if (rows.length === 0) return <p>{text.none}</p>;
  return (
    <>
      <ByKind waste={waste} />
      {!waste.priced && <p class="muted">{text.unpriced}</p>}
      <DataTable caption={text.caption} columns={columns} />
    </>
  );
}

function ByKind({ waste }: { waste: Waste }) {
  const { waste: text } = texts;
  const numbers = [text.hours, text.energy, text.money(waste.currency)];
  return (
    <PlainTable
      class="waste-kinds"
      heads={[text.byKind, ...numbers.map((title) => ({ title, number: true as const }))]}
    >
      {wasteByKind(waste).map((row) => (
        <tr key={row.kind}>
          <th scope="row">{kindText(row)}</th>
          <td class="number">{fixed(row.hours, 2)}</td>
          <td class="number">{fixed(row.energy_kwh, 3)}</td>
          <td class="number">{waste.priced ? fixed(row.money, 2) : kAbsent}</td>
        </tr>
      ))}
    </PlainTable>
  );
}

function columnsOf(rows: readonly WasteRow[], waste: Waste): DataColumn[] {
  const { waste: text } = texts;
  const words = (name: string, of: (row: WasteRow) => string | null): DataColumn => ({
    name,
    unit: 'none',
    values: rows.map((row) => of(row) ?? kAbsent),
  });
  const numbers = (name: string, decimals: number, of: (row: WasteRow) => number | null): DataColumn => ({
    name,
    unit: 'none',
    decimals,
    values: rows.map(of),
  });
  return [
    words(text.day, ({ day }) => day),
    words(text.kind, kindText),
    words(text.user, ({ user }) => user),
    words(text.container, ({ container }) => container),
    numbers(text.gpus, 0, ({ gpus }) => gpus),
    numbers(text.hours, 2, ({ hours }) => hours),
    numbers(text.energy, 3, ({ energy_kwh }) => energy_kwh),
    numbers(text.money(waste.currency), 2, ({ money }) => (waste.priced ? money : null)),
  ];
}
