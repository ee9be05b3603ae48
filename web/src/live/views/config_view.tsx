import { useState } from 'preact/hooks';
import type { ConfigKey, Configuration } from '../api/types.ts';
import type { Service } from '../state/service.ts';
import { useStore } from '../state/store.ts';
import { useLoad } from '../state/use_load.ts';
import { texts } from '../text/texts.ts';
import { ConfigForm } from './config_form.tsx';
import { SearchField } from './gpus_view.tsx';
import { mayDo } from './incident_list.tsx';
import { LoadState } from './loading.tsx';
import { PlainTable } from './plain_table.tsx';
import { configText } from './strategy_field.tsx';

export function ConfigView({ service }: { service: Service }) {
  const changes = useStore(service.configChanges);
  const [own, setOwn] = useState(0);
  const loaded = useLoad(service, 'config', changes + own, () => service.client.config());
  const { config: text } = texts;
  return (
    <section aria-labelledby="config-heading">
      <h2 id="config-heading">{text.heading}</h2>
      <LoadState of={loaded} />
      {loaded.value && (
        <>
          {mayDo(service.caller.role, 'admin') ? (
            <ConfigForm service={service} config={loaded.value} changed={() => setOwn(own + 1)} />
          ) : (
            <p class="muted">{text.readOnly}</p>
          )}
          <Keys config={loaded.value} />
        </>
      )}
    </section>
  );
}

function Keys({ config }: { config: Configuration }) {
  const [filter, setFilter] = useState('');
  const { config: text } = texts;
  const wanted = filter.trim().toLowerCase();
  const keys = config.keys.filter(({ key, value }) => `${key}\n${configText(value)}`.toLowerCase().includes(wanted));
  return (
    <>
      <div class="tools">
        <p class="muted">
          <bdi>{text.file(config.file)}</bdi>
        </p>
        <SearchField label={text.filter} text={filter} onText={setFilter} />
      </div>
      <PlainTable class="wrap config-keys" heads={[text.key, text.value, text.origin, text.change]}>
        {keys.map((row) => (
          <KeyRow key={row.key} row={row} />
        ))}
      </PlainTable>
      {keys.length === 0 && <p>{text.noMatch}</p>}
    </>
  );
}

function KeyRow({ row }: { row: ConfigKey }) {
  const { config: text } = texts;
  const origin = text.origins[row.origin] ?? row.origin;
  return (
    <tr class={row.origin === 'default' ? 'default' : 'set'}>
      <th scope="row">
        <code>{row.key}</code>
      </th>
      <td>
        <code>
          <bdi>{configText(row.value)}</bdi>
        </code>
      </td>
      <td>
        {origin}
        {row.line ? `, ${text.line(row.line)}` : ''}
      </td>
      <td>
        {row.needs_restart ? text.restart : text.atOnce}
        {row.waits_for_restart && <span class="badge is-warning">{text.waits}</span>}
      </td>
    </tr>
  );
}
