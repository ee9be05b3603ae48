import { useEffect, useState } from 'preact/hooks';
import type { ConfigChange, Configuration } from '../api/types.ts';
import type { Service } from '../state/service.ts';
import { problemText } from '../text/problem_text.ts';
import { texts } from '../text/texts.ts';
import { configText } from './config_view.tsx';
import { Choice } from './sign_in.tsx';

const kStrategy = 'gpu.multi_gpu.default_strategy';
const kStrategies = 'gpu.multi_gpu.strategies';
const kMaxTasks = 'gpu.multi_gpu.max_concurrent_tasks_per_gpu';

const valueOf = (config: Configuration, key: string): unknown => config.keys.find((row) => row.key === key)?.value;

/** The strategies that may be chosen; the one in force is always among them. */
export function strategiesOf(config: Configuration): string[] {
  const listed = valueOf(config, kStrategies);
  const now = valueOf(config, kStrategy);
  const names = Array.isArray(listed) ? listed.map(String) : [];
  return typeof now === 'string' && !names.includes(now) ? [now, ...names] : names;
}

/** A text that begins as `now`, and begins anew when that changes. */
function useDraft(now: string): [string, (text: string) => void] {
  const [draft, setDraft] = useState(now);
  useEffect(() => setDraft(now), [now]);
  return [draft, setDraft];
}

/** What an admin may change without a restart. */
export function ConfigForm(props: { service: Service; config: Configuration; changed: () => void }) {
  const { service, config } = props;
  const [persist, setPersist] = useState(false);
  const [strategy, setStrategy] = useDraft(String(valueOf(config, kStrategy) ?? ''));
  const [most, setMost] = useDraft(String(valueOf(config, kMaxTasks) ?? ''));
  const [said, setSaid] = useState('');
  const [error, setError] = useState('');
  const { config: text } = texts;
  const apply = async (call: () => Promise<ConfigChange>) => {
    setSaid('');
    setError('');
    try {
      const { key, before, value } = await call();
      setSaid(text.applied(key, configText(before), configText(value)));
      props.changed();
    } catch (problem) {
      service.failed(problem);
      setError(problemText(problem));
    }
  };
  const applyMost = () => {
    if (!/^[1-9]\d*$/.test(most)) return setError(text.badCount);
    return void apply(() => service.client.setMaxTasks(Number(most), persist));
  };
  const onEnter = (act: () => void) => (event: KeyboardEvent) => {
    if (event.key === 'Enter') act();
  };
  return (
    <fieldset class="config-form">
      <legend>{text.runTime}</legend>
      <span class="config-field">
        <label>
          {text.strategy}{' '}
          <select value={strategy} onChange={(event) => setStrategy(event.currentTarget.value)}>
            {strategiesOf(config).map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          aria-label={`${text.apply}: ${text.strategy}`}
          onClick={() => void apply(() => service.client.setStrategy(strategy, persist))}
        >
          {text.apply}
        </button>
      </span>
      <span class="config-field">
        <label>
          {text.maxTasks}{' '}
          <input
            type="number"
            min="1"
            step="1"
            value={most}
            onInput={(event) => setMost(event.currentTarget.value)}
            onKeyDown={onEnter(applyMost)}
          />
        </label>
        <button type="button" aria-label={`${text.apply}: ${text.maxTasks}`} onClick={applyMost}>
          {text.apply}
        </button>
      </span>
      <Choice checked={persist} onChange={setPersist} title={text.persist} />
      <span role="status">{said}</span>
      {error && (
        <span class="part-error" role="alert">
          {error}
        </span>
      )}
    </fieldset>
  );
}
