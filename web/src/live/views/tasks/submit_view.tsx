import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import type { Submission, TaskType } from '../../api/tasks.ts';
import { hashOfTask } from '../../place.ts';
import type { Service } from '../../state/service.ts';
import { useLoad } from '../../state/use_load.ts';
import { useQueue } from '../../state/use_task.ts';
import { duration, memory } from '../../text/format.ts';
import { problemText } from '../../text/problem_text.ts';
import { texts } from '../../text/texts.ts';
import { mayDo } from '../incident_list.tsx';
import { LoadState, Problem } from '../loading.tsx';
import { kNoDraft, submissionOf, type Draft } from './submission.ts';

/** Submits one task: for keys with the role submit. */
export function SubmitView({ service }: { service: Service }) {
  const types = useLoad(service, 'types', 0, service.client.tasks.types);
  const { submit: text } = texts.tasks;
  const may = mayDo(service.caller.role, 'submit');
  return (
    <section aria-labelledby="submit-heading" class="submit">
      <h2 id="submit-heading">{text.heading}</h2>
      {!may && <p class="muted">{texts.tasks.needsSubmit}</p>}
      {may && <LoadState of={types} />}
      {may && types.value?.types.length === 0 && <p>{text.noTypes}</p>}
      {may && types.value && types.value.types.length > 0 ? <Form service={service} types={types.value.types} /> : null}
    </section>
  );
}

/** Names a submission, so that one whose answer was lost is not made twice. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Sends a draft; the same one again under the same key. */
function useSubmission(service: Service) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>('');
  const sent = useRef({ body: '', key: '' });
  const send = async (submission: Submission) => {
    const body = JSON.stringify(submission);
    if (sent.current.body !== body) sent.current = { body, key: newKey() };
    setBusy(true);
    setError('');
    try {
      const task = await service.client.tasks.submit(submission, sent.current.key);
      location.hash = hashOfTask(task.id);
    } catch (problem) {
      service.failed(problem);
      setError(problem);
      setBusy(false);
    }
  };
  return { busy, error, setError, send };
}

function Form({ service, types }: { service: Service; types: readonly TaskType[] }) {
  const queue = useQueue(service);
  const [draft, setDraft] = useState<Draft>({ ...kNoDraft, type: types[0]!.name });
  const { busy, error, setError, send } = useSubmission(service);
  const type = types.find(({ name }) => name === draft.type) ?? types[0]!;
  const set = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const { submit: text } = texts.tasks;
  const submit = (event: Event) => {
    event.preventDefault();
    if (busy) return;
    const submission = submissionOf(draft, type);
    if (typeof submission === 'string') setError(submission);
    else void send(submission);
  };
  return (
    <form onSubmit={submit}>
      <TypeField types={types} type={type} choose={(name) => set({ type: name })} />
      <Program draft={draft} type={type} set={set} />
      <TextField title={text.name} value={draft.name} onText={(name) => set({ name })} />
      <PriorityField names={Object.keys(queue?.by_priority ?? {})} draft={draft} set={set} />
      <TextField
        title={text.gpus}
        value={draft.gpus}
        onText={(gpus) => set({ gpus })}
        placeholder={String(type.gpus)}
        numeric
      />
      <TextField
        title={text.memory}
        value={draft.memory}
        onText={(amount) => set({ memory: amount })}
        placeholder={type.memory_bytes ? memory(type.memory_bytes) : ''}
        hint={memoryHint(type)}
      />
      {queue && queue.length >= queue.max_length && <p class="banner">{text.full}</p>}
      <Problem of={error === '' || typeof error === 'string' ? error : problemText(error)} />
      <p>
        <button type="submit" class="primary" aria-disabled={busy}>
          {busy ? text.sending : text.do}
        </button>
      </p>
    </form>
  );
}

function memoryHint({ learned }: TaskType): string {
  const { submit: text } = texts.tasks;
  return learned ? `${text.memoryHint} ${text.learned(memory(learned.need_bytes), learned.tasks)}` : text.memoryHint;
}

function TypeField(props: { types: readonly TaskType[]; type: TaskType; choose: (name: string) => void }) {
  const { type } = props;
  const { submit: text } = texts.tasks;
  const time = type.run_seconds && text.runTime(duration(type.run_seconds.low), duration(type.run_seconds.high));
  return (
    <Field title={text.type} hint={[type.description, time].filter(Boolean).join(' ')}>
      {(ids) => (
        <select {...ids} value={type.name} onChange={(event) => props.choose(event.currentTarget.value)}>
          {props.types.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** What the type runs: a command, arguments behind its own, or a request. */
function Program({ draft, type, set }: { draft: Draft; type: TaskType; set: (part: Partial<Draft>) => void }) {
  const { submit: text } = texts.tasks;
  if (type.runs === 'workers')
    return <TextField title={text.request} value={draft.request} onText={(request) => set({ request })} lines={6} />;
  if (type.runs === 'command' && type.allow_arguments === false) return <p class="muted">{text.noArguments}</p>;
  if (type.runs === 'command')
    return (
      <TextField
        title={text.arguments}
        value={draft.arguments}
        onText={(words) => set({ arguments: words })}
        hint={text.argumentsHint}
        lines={2}
      />
    );
  return (
    <TextField
      title={text.command}
      value={draft.command}
      onText={(command) => set({ command })}
      hint={text.commandHint}
      lines={2}
    />
  );
}

function PriorityField(props: { names: readonly string[]; draft: Draft; set: (part: Partial<Draft>) => void }) {
  const { submit: text } = texts.tasks;
  return (
    <Field title={text.priority}>
      {(ids) => (
        <select
          {...ids}
          value={props.draft.priority}
          onChange={(event) => props.set({ priority: event.currentTarget.value })}
        >
          <option value="">{text.priorityOfType}</option>
          {props.names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function TextField(props: {
  title: string;
  value: string;
  onText: (text: string) => void;
  hint?: string;
  placeholder?: string;
  /** More than one: a text of several lines. */
  lines?: number;
  numeric?: boolean;
}) {
  const { value, onText, placeholder = '', lines = 1 } = props;
  const common = { value, placeholder, spellcheck: false, autocomplete: 'off' } as const;
  return (
    <Field title={props.title} hint={props.hint}>
      {(ids) =>
        lines > 1 ? (
          <textarea {...ids} {...common} rows={lines} onInput={(event) => onText(event.currentTarget.value)} />
        ) : (
          <input
            {...ids}
            {...common}
            type="text"
            inputMode={props.numeric ? 'numeric' : 'text'}
            onInput={(event) => onText(event.currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

function Field(props: {
  title: string;
  hint?: string | undefined;
  children: (ids: { id: string; 'aria-describedby': string }) => ComponentChildren;
}) {
  const id = useId();
  return (
    <p class="field">
      <label for={id}>{props.title}</label>
      {props.children({ id, 'aria-describedby': `${id}-hint` })}
      <small class="muted" id={`${id}-hint`}>
        <bdi>{props.hint}</bdi>
      </small>
    </p>
  );
}
