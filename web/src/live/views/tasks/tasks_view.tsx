import { hashOfTasks, kTaskPlaces, tasksPlaceOf, type TasksPlace } from '../../place.ts';
import type { Service } from '../../state/service.ts';
import { texts } from '../../text/texts.ts';
import { mayDo } from '../incident_list.tsx';
import { BatchPage } from './batch_page.tsx';
import { BatchesView } from './batches_view.tsx';
import { ListView } from './list_view.tsx';
import { QueueView } from './queue_view.tsx';
import { SubmitView } from './submit_view.tsx';
import { TaskPage } from './task_page.tsx';
import { TypesView } from './types_view.tsx';

/** Queue, lists, batches, and the page of each task. */
export function TasksView({ service, detail }: { service: Service; detail: string | null }) {
  const place = tasksPlaceOf(detail);
  return (
    <>
      <SubParts place={place} service={service} />
      <Shown place={place} service={service} />
    </>
  );
}

function SubParts({ place, service }: { place: TasksPlace; service: Service }) {
  const shown = kTaskPlaces.filter((id) => id !== 'submit' || mayDo(service.caller.role, 'submit'));
  return (
    <nav class="sub-parts" aria-label={texts.tasks.parts}>
      {shown.map((id) => (
        <a key={id} href={hashOfTasks(id)} aria-current={id === place.at ? 'page' : undefined}>
          {texts.tasks.places[id]}
        </a>
      ))}
    </nav>
  );
}

function Shown({ place, service }: { place: TasksPlace; service: Service }) {
  switch (place.at) {
    case 'queue':
      return <QueueView service={service} />;
    case 'all':
      return <ListView service={service} filter={place.filter} />;
    case 'batches':
      return <BatchesView service={service} />;
    case 'types':
      return <TypesView service={service} />;
    case 'submit':
      return <SubmitView service={service} />;
    case 'task':
      return <TaskPage key={place.id} service={service} id={place.id} />;
    case 'batch':
      return <BatchPage key={place.id} service={service} id={place.id} />;
  }
}
