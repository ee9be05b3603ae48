import './differences.css';
import { useMemo } from 'preact/hooks';
import type { DifferenceCause, DifferenceRow, Differences } from '../data/format.ts';
import type { Report } from '../data/report.ts';
import { PartError } from '../page/part.tsx';
import { DataTable } from '../tables/data_table.tsx';
import { causeLines, changeSentence, differenceColumns, sumText } from './differences.ts';
import { useDifferences } from './use_differences.ts';

export function ChangeSentence({ report }: { report: Report }) {
  const loaded = useDifferences(report);
  return <p class="change">{loaded.state === 'done' ? changeSentence(loaded.value) : '\u00a0'}</p>;
}

const kTables: [keyof Differences & ('modules' | 'kernels' | 'copies' | 'idle'), string, string][] = [
  ['modules', 'Modules', 'Module'],
  ['kernels', 'Kernels', 'Kernel'],
  ['copies', 'Copies', 'Direction'],
  ['idle', 'Idle GPU time', 'Cause'],
];

/** What takes longer and what shorter, by module, kernel, copy and cause of idling. */
export function DifferencesView({ report }: { report: Report }) {
  const loaded = useDifferences(report);
  if (loaded.state === 'failed') return <PartError error={loaded.error} />;
  if (loaded.state === 'waiting') return <p class="waiting">Reading this part…</p>;
  const { per, part, notes } = loaded.value;
  const run = part === 'gpu_work' ? 'GPU time from the first GPU work to the last' : 'GPU time of the whole run';
  return (
    <section class="differences">
      <h2>
        Differences <small>{per === 'step' ? 'GPU time of a mean step' : run}, largest change first</small>
      </h2>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      <Causes causes={loaded.value.causes} />
      {kTables.map(([key, title, name]) => (
        <DifferenceTable key={key} title={title} name={name} rows={loaded.value[key]} />
      ))}
    </section>
  );
}

/** Why it takes longer or shorter. */
function Causes({ causes }: { causes: readonly DifferenceCause[] }) {
  if (causes.length === 0) return null;
  return (
    <ol class="causes">
      {causeLines(causes).map(({ change, says }, i) => (
        <li key={i}>
          <strong>{change}</strong>
          <span>{says}</span>
        </li>
      ))}
    </ol>
  );
}

function DifferenceTable({ title, name, rows }: { title: string; name: string; rows: DifferenceRow[] }) {
  const columns = useMemo(() => differenceColumns(name, rows, title === 'Kernels'), [name, rows, title]);
  if (rows.length === 0) return null;
  return <DataTable caption={`${title}: ${sumText(rows)}`} columns={columns} />;
}
