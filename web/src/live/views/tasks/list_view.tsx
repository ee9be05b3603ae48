import { useMemo } from 'preact/hooks';
import { Select } from '../../../charts/chart_frame.tsx';
import { DataTable } from '../../../tables/data_table.tsx';
import type { Task, TaskType } from '../../api/tasks.ts';
import { hashOfList, hashOfTask, kNoFilter, type TaskFilter } from '../../place.ts';
import { kOver } from '../../state/queue_state.ts';
import type { Service } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useLoad } from '../../state/use_load.ts';
import { usePages } from '../../state/use_pages.ts';
import { useListVersion } from '../../state/use_task.ts';
import { texts } from '../../text/texts.ts';
import { Problem } from '../loading.tsx';
import { listColumns, namesOf } from './task_columns.ts';

/** A choice of several states; the others are names of states. */
const kOverChoice = 'over';

export const statesOf = (choice: string): readonly string[] =>
  choice === kOverChoice ? kOver : choice === '' ? [] : [choice];

/** All tasks that are kept, the newest first. */
export function ListView({ service, filter }: { service: Service; filter: TaskFilter }) {
  const version = useListVersion(service);
  const host = useStore(service.host);
  const { state, type, by, batch } = filter;
  const pages = usePages(
    service,
    JSON.stringify(filter),
    version,
    async (before) => {
      const { tasks, next_before: next } = await service.client.tasks.list({
        states: statesOf(state),
        type,
        by,
        batch: Number(batch) || null,
        before,
      });
      return { items: tasks, next };
    },
    (a: Task, b: Task) => b.id - a.id,
  );
  const { items } = pages;
  const columns = useMemo(() => listColumns(items, namesOf(host?.gpus ?? [])), [items, host?.gpus.length]);
  return (
    <section aria-labelledby="list-heading">
      <div class="tools">
        <h2 id="list-heading">{texts.tasks.list}</h2>
        <Filters service={service} filter={filter} />
      </div>
      <Problem of={pages.error} />
      {pages.isLoading && <p class="waiting">{texts.loading}</p>}
      {!pages.isLoading && items.length === 0 && !pages.error ? <p>{texts.tasks.none}</p> : null}
      {items.length > 0 && (
        <DataTable
          caption={texts.tasks.heading}
          columns={columns}
          onRow={(row) => {
            location.hash = hashOfTask(items[row]!.id);
          }}
          rowAction={texts.tasks.open}
        />
      )}
      {pages.hasMore && (
        <button type="button" onClick={() => void pages.more()}>
          {texts.tasks.older}
        </button>
      )}
    </section>
  );
}

/** The address holds the filter: a link to a list is a link to what is seen. */
function Filters({ service, filter }: { service: Service; filter: TaskFilter }) {
  const types = useLoad<{ types: TaskType[] }>(service, 'types', 0, service.client.tasks.types);
  const { tasks: text } = texts;
  const set = (part: Partial<TaskFilter>) => location.replace(hashOfList({ ...filter, ...part }));
  const states = [
    { key: '', title: text.anyState },
    { key: kOverChoice, title: text.over },
    ...Object.entries(text.states).map(([key, title]) => ({ key, title })),
  ];
  const names = new Set([...(types.value?.types.map(({ name }) => name) ?? []), ...(filter.type ? [filter.type] : [])]);
  const kinds = [{ key: '', title: text.anyState }, ...Array.from(names, (name) => ({ key: name, title: name }))];
  return (
    <>
      <Select label={text.filterState} choices={states} value={filter.state} onChoose={(state) => set({ state })} />
      <Select label={text.filterType} choices={kinds} value={filter.type} onChoose={(type) => set({ type })} />
      <label>
        {text.filterBy}{' '}
        <input
          type="text"
          size={12}
          value={filter.by}
          onChange={(event) => set({ by: event.currentTarget.value.trim() })}
        />
      </label>
      <label>
        {text.filterBatch}{' '}
        <input
          type="text"
          inputMode="numeric"
          size={6}
          value={filter.batch}
          onChange={(event) => set({ batch: event.currentTarget.value.replace(/\D/g, '') })}
        />
      </label>
      {JSON.stringify(filter) === JSON.stringify(kNoFilter) ? null : <a href={hashOfList({})}>{text.noFilter}</a>}
    </>
  );
}
