import { useEffect, useState } from 'preact/hooks';
import { cutApart, shortKernelNames } from '../text/kernel_names.ts';
import { countText, percentText, timeText } from '../text/units.ts';
import { colourOf, currentScheme, kCategories } from '../theme/colours.ts';
import { sumArea, type AreaSums } from './area_sums.ts';
import { copyText } from '../text/clipboard.ts';
import { kKindTitles } from './kinds.ts';
import { quantityText } from './quantity_text.ts';
import type { NameSum, Section } from './selection_sums.ts';
import { csvOf, meanOf } from './sums_csv.ts';
import { kNoName, type Area, type TimelineModel } from './timeline_model.ts';
import { lengthOf } from './viewport.ts';

type ColumnKey = 'name' | 'count' | 'total' | 'mean' | 'minimum' | 'maximum' | 'share';

const kColumns: { key: ColumnKey; title: string; of: (row: NameSum) => number | string | null }[] = [
  { key: 'name', title: 'Name', of: (row) => row.name },
  { key: 'count', title: 'Count', of: (row) => row.count },
  { key: 'total', title: 'Total', of: (row) => row.total_ns },
  { key: 'share', title: 'Share of span', of: (row) => row.total_ns },
  { key: 'mean', title: 'Mean', of: meanOf },
  { key: 'minimum', title: 'Min', of: (row) => row.minimum_ns },
  { key: 'maximum', title: 'Max', of: (row) => row.maximum_ns },
];

interface Order {
  key: ColumnKey;
  down: boolean;
}

function sorted(rows: readonly NameSum[], { key, down }: Order): NameSum[] {
  const { of } = kColumns.find((column) => column.key === key)!;
  const compare = (a: NameSum, b: NameSum) => {
    const [x, y] = [of(a), of(b)];
    if (typeof x === 'string') return x.localeCompare(String(y));
    return (x ?? -1) - Number(y ?? -1);
  };
  return [...rows].sort((a, b) => (down ? compare(b, a) : compare(a, b)));
}

const kMostOfName = 70;
/** Rows that a section shows until more are asked for. */
const kFirstRows = 40;

/** Sums over the selected span and tracks. */
export function SelectionPanel({ model, area }: { model: TimelineModel; area: Area }) {
  const [sums, setSums] = useState<AreaSums | null>(null);
  const [order, setOrder] = useState<Order>({ key: 'total', down: true });
  useEffect(() => {
    let wanted = true;
    setSums(null);
    void sumArea(model.report, model.store, model.lanes, area, () => wanted).then((found) => wanted && setSums(found));
    return () => {
      wanted = false;
    };
  }, [area]);
  if (!sums) return <p class="tl-note">Adding up…</p>;
  const labels = model.documents.map(({ label }) => label);
  return (
    <div class="tl-sums">
      <Headline sums={sums} labels={labels} />
      <GpuLines sums={sums} model={model} />
      <table>
        <HeadRow order={order} setOrder={setOrder} />
        {sums.sections.map((section) => (
          <SectionRows
            key={`${section.profile}/${section.kind}`}
            section={section}
            title={titleOf(section, labels)}
            order={order}
            length={lengthOf(sums.span)}
          />
        ))}
      </table>
      <CounterTable sums={sums} />
    </div>
  );
}

const titleOf = ({ profile, kind }: Section, labels: readonly string[]): string =>
  labels.length > 1 ? `${labels[profile]}: ${kKindTitles[kind]}` : kKindTitles[kind];

function Headline({ sums, labels }: { sums: AreaSums; labels: readonly string[] }) {
  const [said, setSaid] = useState('');
  const copy = async () =>
    setSaid((await copyText(csvOf(sums, labels))) ? 'Copied.' : 'The browser does not allow it.');
  const { tile_ns, span } = sums;
  return (
    <p class="tl-note">
      <b>{timeText(lengthOf(span))}</b> selected.{' '}
      {tile_ns === null
        ? 'Events that start in the selection count with their full duration.'
        : `This report has sums per ${timeText(tile_ns)} of the run, so the selection was widened to ${timeText(lengthOf(span))}. Events that start in it count with their full duration.`}{' '}
      <button type="button" onClick={() => void copy()}>
        Copy as CSV
      </button>{' '}
      <span role="status">{said}</span>
    </p>
  );
}

function GpuLines({ sums, model }: { sums: AreaSums; model: TimelineModel }) {
  const { gpus, span, approximate } = sums;
  if (gpus.length === 0) return null;
  const length = lengthOf(span);
  const shareText = (ns: number) => `${timeText(ns)} (${percentText((100 * ns) / length)})`;
  return (
    <p class="tl-note">
      {gpus.map(({ profile, rank, place, busy_ns, idle_ns }) => {
        const { label, timeline } = model.documents[profile]!;
        const whose = [model.documents.length > 1 ? label : '', timeline.ranks[rank] ?? '', place];
        return (
          <span class="tl-gpu" key={`${profile}/${rank}/${place}`}>
            <bdi>{whose.filter(Boolean).join(' ')}</bdi>: busy {approximate ? 'about ' : ''}
            {shareText(busy_ns)}, idle {shareText(idle_ns)}
          </span>
        );
      })}
    </p>
  );
}

function HeadRow({ order, setOrder }: { order: Order; setOrder: (order: Order) => void }) {
  const click = (key: ColumnKey) => setOrder({ key, down: order.key === key ? !order.down : key !== 'name' });
  return (
    <thead>
      <tr>
        {kColumns.map(({ key, title }) => (
          <th key={key} scope="col" aria-sort={order.key !== key ? 'none' : order.down ? 'descending' : 'ascending'}>
            <button type="button" onClick={() => click(key)}>
              {title}
              {order.key === key ? (order.down ? ' ▾' : ' ▴') : ''}
            </button>
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface SectionProps {
  section: Section;
  title: string;
  order: Order;
  length: number;
}

function SectionRows({ section, title, order, length }: SectionProps) {
  const [all, setAll] = useState(false);
  const rows = sorted(section.rows, order);
  const more = rows.length - kFirstRows;
  const count = rows.reduce((sum, row) => sum + row.count, 0);
  const total = rows.reduce((sum, row) => sum + row.total_ns, 0);
  const shown = rows.slice(0, all ? undefined : kFirstRows);
  const texts = shownTexts(shown, section.kind === 'gpu');
  return (
    <tbody>
      <tr class="tl-section">
        <th scope="rowgroup">{title}</th>
        <td>{countText(count)}</td>
        <td>{timeText(total)}</td>
        <td colSpan={4} />
      </tr>
      {shown.map((row, i) => (
        <SumRow key={`${row.category}/${row.name}`} row={row} shown={texts[i]!} length={length} />
      ))}
      {!all && more > 0 && (
        <tr>
          <td colSpan={7}>
            <button type="button" onClick={() => setAll(true)}>
              Show {countText(more)} more
            </button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

/** Names of kernels by what tells them apart. */
function shownTexts(rows: readonly NameSum[], ofKernels: boolean): string[] {
  const names = rows.map(({ name }) => name);
  const short = ofKernels ? shortKernelNames(names) : null;
  return cutApart(
    names.map((name) => short?.get(name) ?? name),
    kMostOfName,
  );
}

function SumRow({ row, shown, length }: { row: NameSum; shown: string; length: number }) {
  const colour = colourOf(row.category, row.name, currentScheme());
  return (
    <tr>
      <th scope="row" title={row.name}>
        <span class="tl-swatch" style={{ background: colour }} title={kCategories[row.category].title} />
        <bdi>{shown || kNoName}</bdi>
      </th>
      <td>{countText(row.count)}</td>
      <td>{timeText(row.total_ns)}</td>
      <td>{percentText((100 * row.total_ns) / length)}</td>
      <td>{timeText(meanOf(row))}</td>
      <td>{timeText(row.minimum_ns)}</td>
      <td>{timeText(row.maximum_ns)}</td>
    </tr>
  );
}

function CounterTable({ sums }: { sums: AreaSums }) {
  if (sums.counters.length === 0) return null;
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">Counter</th>
          <th scope="col">Mean</th>
          <th scope="col">Min</th>
          <th scope="col">Max</th>
        </tr>
      </thead>
      <tbody>
        {sums.counters.map(({ place, label, unit, mean, minimum, maximum }, i) => (
          <tr key={i}>
            <th scope="row">
              <bdi>{`${place} ${label}`}</bdi>
            </th>
            <td>{quantityText(mean, unit)}</td>
            <td>{quantityText(minimum, unit)}</td>
            <td>{quantityText(maximum, unit)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
