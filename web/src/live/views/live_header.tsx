import { useEffect, useState } from 'preact/hooks';
import { ThemeSwitch } from '../../theme/theme_switch.tsx';
import { hashOfPart } from '../place.ts';
import type { Host } from '../api/types.ts';
import type { Connection, Service } from '../state/service.ts';
import { useStore } from '../state/store.ts';
import { useTicks } from '../state/use_hidden.ts';
import { duration } from '../text/format.ts';
import { texts } from '../text/texts.ts';

interface HeaderProps {
  service: Service;
  signOut: () => void;
  showHelp: () => void;
}

/** Whose GPUs these are, whether what is shown is of now, and who looks. */
export function LiveHeader({ service, signOut, showHelp }: HeaderProps) {
  const host = useStore(service.host);
  const open = useStore(service.openIncidents);
  const { name, role } = service.caller;
  useEffect(() => {
    const mark = open.length > 0 ? `(${open.length}) ` : '';
    document.title = `${mark}${host?.hostname ?? texts.title} – ${texts.title}`;
  }, [open.length, host?.hostname]);
  return (
    <header class="live-header">
      <h1>
        <bdi>{host?.hostname ?? texts.title}</bdi>
        {host?.simulated && <span class="badge simulated">{texts.simulated}</span>}
      </h1>
      <p class="live-facts">
        {host?.driver_version && <bdi>{texts.header.driver(host.driver_version)}</bdi>}
        {host?.cuda_version && <bdi>{texts.header.cuda(host.cuda_version)}</bdi>}
        <ConnectionState service={service} host={host} />
        <a href={hashOfPart('incidents')} class={open.length > 0 ? worst(open) : ''}>
          {open.length > 0 ? texts.header.openIncidents(open.length) : texts.header.noIncidents}
        </a>
      </p>
      <div class="live-tools">
        <bdi class="muted">{texts.header.role(name, texts.role[role] ?? role)}</bdi>
        <ThemeSwitch />
        <button type="button" onClick={showHelp} title={texts.help.open} aria-label={texts.help.open}>
          ?
        </button>
        <button type="button" onClick={signOut}>
          {texts.signIn.out}
        </button>
      </div>
    </header>
  );
}

const worst = (open: readonly { severity: string }[]): string =>
  open.some(({ severity }) => severity === 'critical') ? 'is-critical' : 'is-warning';

/** Samples come at an interval that the page does not know: older than this is said, s. */
const kStaleAfter = 90;

export function connectionText(connection: Connection, age: number | null): [string, string] {
  const text = age === null ? null : duration(age);
  if (connection === 'live' && text !== null && age! > kStaleAfter) return ['stale', texts.connection.stale(text)];
  if (connection === 'live') return ['live', texts.connection.live];
  if (connection === 'connecting' && age === null) return ['connecting', texts.connection.connecting];
  return ['reconnecting', texts.connection.reconnecting(text)];
}

function ConnectionState({ service, host }: { service: Service; host: Host | null }) {
  const connection = useStore(service.connection);
  const samples = useStore(service.samples);
  const [heard, setHeard] = useState<number | null>(null);
  const [, tick] = useState(0);
  // By this computer's clock alone: that of the host may differ.
  useEffect(() => {
    if (host) setHeard(performance.now());
  }, [samples, host?.moment]);
  useTicks(1000, () => tick((n) => n + 1));
  const age = heard === null ? null : (performance.now() - heard) / 1000;
  const [state, text] = connectionText(connection, age);
  return (
    <span class={`connection ${state}`} title={texts.connection.label}>
      <span class="dot" aria-hidden="true" />
      {text}
    </span>
  );
}
