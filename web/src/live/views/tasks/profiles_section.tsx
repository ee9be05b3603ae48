import type { ProfileOfTask, Task } from '../../api/tasks.ts';
import type { Service } from '../../state/service.ts';
import { useLoad } from '../../state/use_load.ts';
import { moment } from '../../text/format.ts';
import { texts } from '../../text/texts.ts';
import { Problem } from '../loading.tsx';

/** What the recordings of the task's attempts say; nothing where there is none. */
export function ProfilesSection(props: { service: Service; task: Task; version: number }) {
  const { service, task } = props;
  const loaded = useLoad(service, String(task.id), props.version, () => service.client.tasks.profiles(task.id));
  const profiles = loaded.value?.profiles ?? [];
  if (profiles.length === 0 && !loaded.error) return null;
  return (
    <section aria-labelledby="profiles-heading">
      <h3 id="profiles-heading">{texts.tasks.profiles.heading}</h3>
      <Problem of={loaded.error} />
      {profiles.map((profile) => (
        <ProfilePart key={`${profile.attempt} ${profile.moment}`} profile={profile} />
      ))}
    </section>
  );
}

export function ProfilePart({ profile }: { profile: ProfileOfTask }) {
  const { profiles: text } = texts.tasks;
  return (
    <div class="profile">
      <p>
        <bdi>{text.why(profile.why, profile.attempt)}</bdi>{' '}
        <span class="muted">
          {profile.state}, {moment(profile.moment)}
        </span>
      </p>
      {profile.trouble && (
        <p class="part-error">
          <bdi>{profile.trouble}</bdi>
        </p>
      )}
      {profile.findings?.length === 0 && <p>{text.none}</p>}
      <ol>
        {(profile.findings ?? []).map((finding, i) => (
          <li key={i}>
            <bdi>{finding.says}</bdi>
            <br />
            <bdi class="muted">{finding.do}</bdi>
          </li>
        ))}
      </ol>
      {profile.file && (
        <p class="muted">
          {text.file}:{' '}
          <code>
            <bdi>{profile.file}</bdi>
          </code>
        </p>
      )}
    </div>
  );
}
