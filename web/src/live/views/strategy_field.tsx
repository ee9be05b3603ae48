import { useEffect, useState } from 'preact/hooks';
import type { ConfigChange } from '../api/types.ts';
import type { Service } from '../state/service.ts';
import { problemText } from '../text/problem_text.ts';
import { texts } from '../text/texts.ts';
import { Choice } from './sign_in.tsx';

export const configText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A text that begins as `now`, and begins anew when that changes. */
export function useDraft(now: string): [string, (text: string) => void] {
  const [draft, setDraft] = useState(now);
  useEffect(() => setDraft(now), [now]);
  return [draft, setDraft];
}

/** The one in force is always among them. */
export const withStrategy = (listed: readonly string[], now: string | null): string[] =>
  now === null || listed.includes(now) ? [...listed] : [now, ...listed];

/** Changes of the configuration while the service runs, and what became of the last one. */
export function useConfigChange(service: Service, changed: () => void) {
  const [said, setSaid] = useState('');
  const [error, setError] = useState('');
  const [persist, setPersist] = useState(false);
  const apply = async (call: (persist: boolean) => Promise<ConfigChange>) => {
    setSaid('');
    setError('');
    try {
      const { key, before, value } = await call(persist);
      setSaid(texts.config.applied(key, configText(before), configText(value)));
      changed();
    } catch (problem) {
      service.failed(problem);
      setError(problemText(problem));
    }
  };
  return { apply, setError, persist, setPersist, said, error };
}

export type ChangeOfConfig = ReturnType<typeof useConfigChange>;

/** Whether changes are kept, and what became of the last one. */
export function ChangeOutcome({ change }: { change: ChangeOfConfig }) {
  return (
    <>
      <Choice checked={change.persist} onChange={change.setPersist} title={texts.config.persist} />
      <span role="status">{change.said}</span>
      {change.error && (
        <span class="part-error" role="alert">
          {change.error}
        </span>
      )}
    </>
  );
}

/** Chooses the strategy: for admins. */
export function StrategyField(props: {
  service: Service;
  strategies: readonly string[];
  now: string;
  change: ChangeOfConfig;
}) {
  const [strategy, setStrategy] = useDraft(props.now);
  const { config: text } = texts;
  return (
    <span class="config-field">
      <label>
        {text.strategy}{' '}
        <select value={strategy} onChange={(event) => setStrategy(event.currentTarget.value)}>
          {withStrategy(props.strategies, props.now).map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button
        type="button"
        aria-label={`${text.apply}: ${text.strategy}`}
        onClick={() => void props.change.apply((persist) => props.service.client.setStrategy(strategy, persist))}
      >
        {text.apply}
      </button>
    </span>
  );
}
