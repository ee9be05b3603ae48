import { kAbsent } from '../../../text/units.ts';
import type { Decision, Explanation, Judgement, Refusal, Task } from '../../api/tasks.ts';
import { hashOfGpu } from '../../place.ts';
import type { Service } from '../../state/service.ts';
import { useLoad } from '../../state/use_load.ts';
import { useQueueVersion } from '../../state/use_task.ts';
import { duration, moment, secondsOf, shortMoment } from '../../text/format.ts';
import { texts } from '../../text/texts.ts';
import { LoadState } from '../loading.tsx';
import { PlainTable } from '../plain_table.tsx';
import { TaskLinks } from './queue_gpus.tsx';
import type { GpuNames } from './task_columns.ts';

interface SectionProps {
  service: Service;
  task: Task;
  /** Grows with what happens to the task. */
  version: number;
  names: GpuNames;
}

/** Why the task waits, or why it went where it did. */
export function ExplanationSection({ service, task, version }: SectionProps) {
  const waits = task.state === 'waiting' || task.state === 'blocked';
  const queue = useQueueVersion(service, waits);
  const loaded = useLoad(service, String(task.id), version + queue, () => service.client.tasks.explain(task.id));
  return (
    <section aria-labelledby="why-heading" class="explanation">
      <h3 id="why-heading">{texts.tasks.explain.heading}</h3>
      <LoadState of={loaded} />
      {loaded.value && <Why why={loaded.value} waits={waits} />}
    </section>
  );
}

function Why({ why, waits }: { why: Explanation; waits: boolean }) {
  const { explain: text } = texts.tasks;
  const [last, ...before] = [...why.decisions].reverse();
  return (
    <>
      <p class="summary">
        <bdi>{why.summary}</bdi>
      </p>
      {why.unblocks.length > 0 && (
        <>
          <h4>{text.unblocks}</h4>
          <ul>
            {why.unblocks.map((what, i) => (
              <li key={i}>
                <bdi>{what}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
      {waits && <Expected why={why} />}
      {why.gpus.length > 0 && (
        <>
          <h4>{text.now}</h4>
          <Judgements of={why.gpus} label={text.now} />
        </>
      )}
      {last && <DecisionPart decision={last} isOpen={!waits} />}
      {before.map((decision) => (
        <DecisionPart key={decision.attempt} decision={decision} isOpen={false} />
      ))}
      {!last && !waits && <p class="muted">{text.noDecision}</p>}
    </>
  );
}

/** "in 4 min (14:03:11)"; a moment that has passed is any moment. */
export function startText(at: string, now: number): string {
  const seconds = secondsOf(at);
  const { explain: text } = texts.tasks;
  if (seconds === null) return kAbsent;
  const when = shortMoment(at, new Date(now * 1000));
  return seconds <= now ? text.anyMoment : `${text.inSeconds(duration(seconds - now))} (${when})`;
}

function Expected({ why: { position, ahead, start, start_unknown: unknown } }: { why: Explanation }) {
  const { explain: text } = texts.tasks;
  const short = (at: string) => shortMoment(at, new Date());
  return (
    <>
      {position !== null && (
        <p>
          {text.position(position)}
          {ahead.length > 0 && (
            <>
              . {text.ahead} <TaskLinks ids={ahead} />
            </>
          )}
        </p>
      )}
      <p>
        <span class="muted">{text.start}:</span>{' '}
        {start ? (
          text.expected(startText(start.likely, Date.now() / 1000), short(start.earliest), short(start.latest))
        ) : (
          <bdi>{text.unknown(unknown ?? kAbsent)}</bdi>
        )}
      </p>
    </>
  );
}

function DecisionPart({ decision, isOpen }: { decision: Decision; isOpen: boolean }) {
  const { explain: text } = texts.tasks;
  const title = text.decision(decision.attempt, moment(decision.moment));
  return (
    <details open={isOpen} class="decision">
      <summary>{title}</summary>
      <p>
        <bdi>{text.by(decision.strategy, decision.waiting)}</bdi> {decision.note && <bdi>{decision.note}</bdi>}
      </p>
      <Judgements of={decision.gpus} label={title} />
    </details>
  );
}

/** A row a GPU: its score, or why not. */
function Judgements({ of, label }: { of: readonly Judgement[]; label: string }) {
  const { explain: text } = texts.tasks;
  return (
    <PlainTable class="wrap judgements" label={label} heads={[text.gpu, text.verdict, text.score, text.reasons]}>
      {of.map((gpu) => (
        <tr key={gpu.uuid} class={gpu.chosen ? 'chosen' : undefined}>
          <th scope="row">
            <a href={hashOfGpu(gpu.uuid)}>
              <code>{gpu.id}</code>
            </a>
          </th>
          <td>
            <Verdict of={gpu} />
          </td>
          <td>
            <bdi>{scoreText(gpu)}</bdi>
          </td>
          <td>
            {gpu.refusals.map((refusal) => (
              <Reason key={refusal.rule} refusal={refusal} />
            ))}
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}

export function scoreText({ score, score_text: words }: Judgement): string {
  if (words) return words;
  return score === null ? kAbsent : score.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

function Verdict({ of: { chosen, eligible, refusals } }: { of: Judgement }) {
  const { explain: text } = texts.tasks;
  if (chosen) return <span class="badge is-ok">{text.chosen}</span>;
  if (eligible) return <span class="badge">{text.eligible}</span>;
  const isForGood = refusals.some(({ for_good: forGood }) => forGood);
  return (
    <span class={isForGood ? 'badge is-critical' : 'badge is-warning'}>
      {text.refused}
      {isForGood ? `, ${text.forGood}` : ''}
    </span>
  );
}

function Reason({ refusal: { rule, reason, unblocked } }: { refusal: Refusal }) {
  return (
    <p title={rule}>
      <bdi>{reason}</bdi>
      {unblocked && (
        <>
          {' '}
          <bdi class="muted">({texts.tasks.explain.unblocked(unblocked)})</bdi>
        </>
      )}
    </p>
  );
}
