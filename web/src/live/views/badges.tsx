import { useEffect, useState } from 'preact/hooks';
import { copyText } from '../../text/clipboard.ts';
import type { Gpu, Health, Severity } from '../api/types.ts';
import { shortUuid } from '../text/format.ts';
import { clockReasons } from '../text/throttle.ts';
import { texts } from '../text/texts.ts';

export function HealthBadge({ health }: { health: Health }) {
  return <span class={`badge is-${health}`}>{texts.health[health] ?? health}</span>;
}

export function SeverityBadge({ severity }: { severity: Severity }) {
  return <span class={`badge is-${severity}`}>{texts.severity[severity] ?? severity}</span>;
}

export function SimulatedBadge({ of }: { of: { simulated: boolean } }) {
  return of.simulated ? <span class="badge simulated">{texts.simulated}</span> : null;
}

/** How far the values can be trusted, where that is not fully; with the reason. */
export function QualityMark({ gpu }: { gpu: Gpu }) {
  if (gpu.quality === 'fresh') return null;
  const name = texts.quality[gpu.quality] ?? gpu.quality;
  return (
    <p class={`quality ${gpu.quality}`}>
      <span class="badge is-warning">{name}</span> <bdi>{gpu.quality_reason ?? gpu.failure?.message ?? ''}</bdi>
    </p>
  );
}

/** The UUID's beginning, and a button that copies all of it. */
export function Uuid({ uuid }: { uuid: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    const timer = said ? setTimeout(() => setSaid(''), 2000) : undefined;
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => setSaid((await copyText(uuid)) ? texts.gpus.copied : texts.gpus.cannotCopy);
  return (
    <span class="uuid">
      <button type="button" title={uuid} aria-label={texts.gpus.copyUuid(uuid)} onClick={() => void copy()}>
        <code>{shortUuid(uuid)}</code>
        <span class="copy-mark" aria-hidden="true" />
      </button>
      <span role="status" class="said">
        {said}
      </span>
    </span>
  );
}

/** Why clocks are lower than they could be; "not throttled" only where the GPU says so. */
export function ThrottleText({ gpu }: { gpu: Gpu }) {
  const reasons = clockReasons(gpu.values['clocks_event_reasons']);
  if (reasons === null) return null;
  if (reasons.throttling.length > 0)
    return (
      <span class="throttled">
        {texts.gpus.throttled} {reasons.throttling.join(', ')}
      </span>
    );
  return <span class="muted">{[texts.gpus.notThrottled, ...reasons.others].join(', ')}</span>;
}
