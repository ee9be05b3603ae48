import { useMemo } from 'preact/hooks';
import { DataTable } from '../../tables/data_table.tsx';
import { hashOfGpu } from '../place.ts';
import type { Service } from '../state/service.ts';
import { useStore } from '../state/store.ts';
import { texts } from '../text/texts.ts';
import { processColumns } from './process_columns.ts';

/** Whatever holds a GPU, over all of them. */
export function ProcessesView({ service }: { service: Service }) {
  const host = useStore(service.host);
  // Samples leave the processes as they are: the table keeps its place until the whole is read again.
  const held = JSON.stringify(host?.gpus.map(({ uuid, processes }) => [uuid, processes]));
  const { rows, columns, dead } = useMemo(() => processColumns(host?.gpus ?? []), [held]);
  if (!host) return <p class="waiting">{texts.loading}</p>;
  if (rows.length === 0) return <p>{texts.processes.none}</p>;
  return (
    <section>
      {dead > 0 && (
        <p class="banner" role="status">
          {texts.processes.deadNote(dead)}
        </p>
      )}
      <DataTable
        caption={texts.processes.heading}
        columns={columns}
        onRow={(row) => {
          location.hash = hashOfGpu(rows[row]!.gpu.uuid);
        }}
        rowAction={texts.processes.open}
      />
    </section>
  );
}
