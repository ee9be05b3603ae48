import { kAbsent } from '../../../text/units.ts';
import type { TaskType } from '../../api/tasks.ts';
import { hashOfList, hashOfTask } from '../../place.ts';
import type { Service } from '../../state/service.ts';
import { useLoad } from '../../state/use_load.ts';
import { useListVersion } from '../../state/use_task.ts';
import { duration, memory } from '../../text/format.ts';
import { texts } from '../../text/texts.ts';
import { LoadState } from '../loading.tsx';
import { PlainTable } from '../plain_table.tsx';
import { ProfilePart } from './profiles_section.tsx';

/** What may be submitted, and what was learned of it. */
export function TypesView({ service }: { service: Service }) {
  const version = useListVersion(service);
  const loaded = useLoad<{ types: TaskType[] }>(service, 'types', version, service.client.tasks.types);
  const types = loaded.value?.types ?? [];
  const { types: text } = texts.tasks;
  const heads = [text.name, text.runs, text.gpus, text.declared, text.learned, text.time];
  return (
    <section aria-labelledby="types-heading">
      <h2 id="types-heading">{text.heading}</h2>
      <LoadState of={loaded} />
      {loaded.value && types.length === 0 && <p>{text.none}</p>}
      {types.length > 0 && (
        <PlainTable class="wrap types" heads={heads}>
          {types.map((type) => (
            <TypeRow key={type.name} type={type} />
          ))}
        </PlainTable>
      )}
      {types
        .filter(({ profiles }) => profiles.length > 0)
        .map((type) => (
          <TypeProfiles key={type.name} type={type} />
        ))}
    </section>
  );
}

export function learnedText({ learned }: TaskType): string {
  if (!learned) return kAbsent;
  const { need_bytes: need, median_bytes: median, spread_bytes: spread, tasks } = learned;
  return texts.tasks.types.learnedOf(memory(need), memory(median), memory(spread), tasks);
}

export function timeText({ run_seconds: time }: TaskType): string {
  if (!time) return kAbsent;
  return texts.tasks.types.timeOf(duration(time.low), duration(time.median), duration(time.high), time.tasks);
}

function TypeRow({ type }: { type: TaskType }) {
  const { types: text } = texts.tasks;
  return (
    <tr>
      <th scope="row">
        <a href={hashOfList({ type: type.name })} title={text.tasks}>
          <bdi>{type.name}</bdi>
        </a>
        {type.description && (
          <p class="muted">
            <bdi>{type.description}</bdi>
          </p>
        )}
      </th>
      <td>{text.kinds[type.runs] ?? type.runs}</td>
      <td>{type.gpus}</td>
      <td>{memory(type.memory_bytes)}</td>
      <td>{learnedText(type)}</td>
      <td>{timeText(type)}</td>
    </tr>
  );
}

function TypeProfiles({ type }: { type: TaskType }) {
  return (
    <section>
      <h3>
        {texts.tasks.types.profiles}: <bdi>{type.name}</bdi>
      </h3>
      {type.profiles.map((profile) => (
        <div key={`${profile.task} ${profile.attempt}`}>
          <a href={hashOfTask(profile.task)}>{texts.tasks.task(profile.task)}</a>
          <ProfilePart profile={profile} />
        </div>
      ))}
    </section>
  );
}
