import type { Configuration } from '../api/types.ts';
import type { Service } from '../state/service.ts';
import { texts } from '../text/texts.ts';
import { ChangeOutcome, StrategyField, useConfigChange, useDraft, withStrategy } from './strategy_field.tsx';

const kStrategy = 'gpu.multi_gpu.default_strategy';
const kStrategies = 'gpu.multi_gpu.strategies';
const kMaxTasks = 'gpu.multi_gpu.max_concurrent_tasks_per_gpu';

const valueOf = (config: Configuration, key: string): unknown => config.keys.find((row) => row.key === key)?.value;

/** The strategies that may be chosen; the one in force is always among them. */
export function strategiesOf(config: Configuration): string[] {
  const listed = valueOf(config, kStrategies);
  const now = valueOf(config, kStrategy);
  return withStrategy(Array.isArray(listed) ? listed.map(String) : [], typeof now === 'string' ? now : null);
}

/** What an admin may change without a restart. */
export function ConfigForm(props: { service: Service; config: Configuration; changed: () => void }) {
  const { service, config } = props;
  const change = useConfigChange(service, props.changed);
  const [most, setMost] = useDraft(String(valueOf(config, kMaxTasks) ?? ''));
  const { config: text } = texts;
  const applyMost = () => {
    if (!/^[1-9]\d*$/.test(most)) return change.setError(text.badCount);
    return void change.apply((persist) => service.client.setMaxTasks(Number(most), persist));
  };
  const onEnter = (act: () => void) => (event: KeyboardEvent) => {
    if (event.key === 'Enter') act();
  };
  return (
    <fieldset class="config-form">
      <legend>{text.runTime}</legend>
      <StrategyField
        service={service}
        strategies={strategiesOf(config)}
        now={String(valueOf(config, kStrategy) ?? '')}
        change={change}
      />
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
      <ChangeOutcome change={change} />
    </fieldset>
  );
}
