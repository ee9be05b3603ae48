import { kAbsent } from '../../text/units.ts';
import type { Incident, Role } from '../api/types.ts';
import { hashOfGpu } from '../place.ts';
import type { Service } from '../state/service.ts';
import { moment } from '../text/format.ts';
import { texts } from '../text/texts.ts';
import { ActingError, AskedButton, useActing } from './asked_button.tsx';
import { SeverityBadge, SimulatedBadge } from './badges.tsx';

const kRoles: readonly Role[] = ['none', 'read', 'submit', 'admin'];
export const mayDo = (role: Role, needed: Role): boolean => kRoles.indexOf(role) >= kRoles.indexOf(needed);

export function IncidentList(props: { service: Service; incidents: readonly Incident[]; empty: string }) {
  if (props.incidents.length === 0) return <p>{props.empty}</p>;
  return (
    <ol class="incidents">
      {props.incidents.map((incident) => (
        <IncidentItem key={incident.id} service={props.service} incident={incident} />
      ))}
    </ol>
  );
}

function IncidentItem({ service, incident }: { service: Service; incident: Incident }) {
  const over = incident.cleared !== null;
  return (
    <li class={`incident is-${incident.severity}${over ? ' over' : ''}`} tabIndex={-1} data-stop>
      <p class="incident-head">
        <SeverityBadge severity={incident.severity} />
        {over && <span class="badge">{texts.incidents.over}</span>}
        <SimulatedBadge of={incident} />
        <a href={hashOfGpu(incident.gpu_uuid)}>gpu_{incident.gpu_index}</a>
        {incident.xids.length > 0 && <span>{texts.incidents.xids(incident.xids.join(', '))}</span>}
        <span class="muted">#{incident.id}</span>
      </p>
      <h3>
        <bdi>{incident.summary}</bdi>
      </h3>
      {incident.action && (
        <p>
          <span class="muted">{texts.incidents.action}:</span> <bdi>{incident.action}</bdi>
        </p>
      )}
      <Times incident={incident} />
      {!over && <Actions service={service} incident={incident} />}
      <Arguments incident={incident} />
    </li>
  );
}

function Times({ incident }: { incident: Incident }) {
  const { incidents: text } = texts;
  const by = (who: string | null) => (who ? ` ${text.by(who)}` : '');
  return (
    <p class="incident-times muted">
      <span>
        {text.opened} {moment(incident.opened)}
      </span>
      <span>
        {text.lastSeen} {moment(incident.last_seen)}, {text.times(incident.times_seen)}
      </span>
      {incident.acknowledged && (
        <bdi>
          {text.acknowledged} {moment(incident.acknowledged)}
          {by(incident.acknowledged_by)}
        </bdi>
      )}
      {incident.cleared && (
        <bdi>
          {text.cleared} {moment(incident.cleared)}
          {by(incident.cleared_by)}
        </bdi>
      )}
    </p>
  );
}

/** What the detector names besides: for who writes rules on it. */
function Arguments({ incident }: { incident: Incident }) {
  const rows = Object.entries(incident.arguments);
  return (
    <details>
      <summary>{texts.incidents.details}</summary>
      <dl class="arguments">
        {[['detector', incident.detector], ['subject', incident.subject || kAbsent], ...rows].map(([name, value]) => (
          <div key={name}>
            <dt>
              <bdi>{name}</bdi>
            </dt>
            <dd>
              <bdi>{String(value)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function Actions({ service, incident }: { service: Service; incident: Incident }) {
  const { busy, error, act } = useActing(service);
  const { role } = service.caller;
  const { incidents: text } = texts;
  const change = async (call: (id: number) => Promise<Incident>) => {
    await call(incident.id);
    service.touched();
  };
  return (
    <p class="incident-actions">
      {incident.acknowledged === null && (
        <button
          type="button"
          disabled={busy || !mayDo(role, 'submit')}
          title={mayDo(role, 'submit') ? undefined : text.needsSubmit}
          onClick={() => void act(() => change(service.client.acknowledge))}
        >
          {text.acknowledge}
        </button>
      )}
      <AskedButton
        title={text.clear}
        disabled={busy || !mayDo(role, 'admin')}
        hint={mayDo(role, 'admin') ? undefined : text.needsAdmin}
        heading={text.clearHeading}
        what={incident.summary}
        explains={text.clearExplains}
        act={() => void act(() => change(service.client.clear))}
      />
      <ActingError error={error} />
    </p>
  );
}
