import './gate.css';
import type { GateCheck, GateDecision, GateSide } from '../data/format.ts';
import type { Report } from '../data/report.ts';
import { Name } from '../page/name.tsx';
import { messageOf } from '../page/part.tsx';
import { usePromise } from '../page/use_promise.ts';
import { counted } from '../text/units.ts';
import {
  amountText,
  chanceText,
  changeOfTime,
  changeText,
  intervalText,
  orderedChecks,
  sideText,
  wordOf,
  wordOfCheck,
  type CheckWord,
} from './verdicts.ts';

/** A sentence can name a kernel of thousands of characters. */
const kMostSaid = 600;
const kMostOfName = 120;
/** Rows of a table that a reader still scrolls through. */
const kMostRows = 500;

const nothing: Promise<GateDecision> = Promise.reject(new Error('it contains no verdict'));
nothing.catch(() => undefined);

/** What the gate decided, and why. */
export function VerdictView({ report }: { report: Report }) {
  const loaded = usePromise(report.gate?.() ?? nothing);
  if (loaded.state === 'waiting') return <p class="waiting">Reading…</p>;
  if (loaded.state === 'failed') return <p role="alert">The verdict cannot be shown: {messageOf(loaded.error)}</p>;
  return <Verdict decision={loaded.value} />;
}

function Verdict({ decision }: { decision: GateDecision }) {
  const { open, passing } = orderedChecks(decision.checks);
  return (
    <div class="gate">
      <p class="gate-verdict">
        <Word word={wordOf(decision.verdict.outcome)} /> {decision.verdict.says}
      </p>
      {open.length > 0 ? <Checks checks={open} budget={decision.budget} /> : null}
      <Causes decision={decision} />
      <Lines title="Conditions that differ" lines={decision.conditions.map(conditionText)} />
      <Lines title="Notes" lines={decision.notes} />
      {passing.length > 0 ? (
        <details class="gate-passing" open={open.length === 0}>
          <summary>
            {counted(passing.length, 'check')} pass{passing.length === 1 ? 'es' : ''}
          </summary>
          <Checks checks={passing} budget={decision.budget} />
        </details>
      ) : null}
      <section class="side-by-side">
        {decision.base ? <Side title="Base" side={decision.base} /> : null}
        <Side title="New" side={decision.new} />
      </section>
    </div>
  );
}

const conditionText = (c: GateDecision['conditions'][number]): string =>
  `${c.title}: ${c.base} in the baseline, ${c.new} in the new runs${c.allowed ? ' (allowed)' : ''}`;

function Word({ word }: { word: CheckWord }) {
  return <span class={`gate-word gate-${word.replace(' ', '-')}`}>{word}</span>;
}

function Checks({ checks, budget }: { checks: readonly GateCheck[]; budget: string | null }) {
  return (
    <div class="gate-scroll">
      <table class="gate-checks">
        <thead>
          <tr>
            <th>Verdict</th>
            <th>Check</th>
            <th class="number">Base</th>
            <th class="number">New</th>
            <th class="number">Change</th>
            <th class="number" title="95 % confidence interval of new / base">
              Interval
            </th>
            <th
              class="number"
              title="p-value: for interleaved runs, the probability of a difference this large if the change were within the limit"
            >
              p
            </th>
          </tr>
        </thead>
        <tbody>
          {checks.slice(0, kMostRows).map((check, i) => (
            <CheckRow key={i} check={check} budget={budget} />
          ))}
        </tbody>
      </table>
      {checks.length > kMostRows ? <p>{counted(checks.length - kMostRows, 'more check')}: sonde gate -f json</p> : null}
    </div>
  );
}

function CheckRow({ check, budget }: { check: GateCheck; budget: string | null }) {
  const { rule } = check;
  return (
    <tr>
      <td>
        <Word word={wordOfCheck(check)} />
      </td>
      <td class="gate-check">
        <strong>
          <Name text={`${rule.name} (${check.subject})`} most={kMostOfName} />
        </strong>
        {budget !== null && rule.line !== null ? (
          <span class="gate-place">
            <Name text={`${budget}:${rule.line}`} most={60} />
          </span>
        ) : null}
        <div class="gate-says">
          <Name text={check.says} most={kMostSaid} />
        </div>
      </td>
      <td class="number">{amountText(check, 'base')}</td>
      <td class="number">{amountText(check, 'new')}</td>
      <td class="number">{changeText(check)}</td>
      <td class="number">{intervalText(check)}</td>
      <td class="number">{chanceText(check)}</td>
    </tr>
  );
}

function Causes({ decision }: { decision: GateDecision }) {
  const causes = decision.difference?.causes ?? [];
  const kernels = decision.kernel_reports;
  if (causes.length + kernels.length === 0) return null;
  return (
    <section>
      <h2>What changed</h2>
      <ul class="gate-causes">
        {causes.map((cause, i) => (
          <li key={i}>
            <span class="gate-change">{changeOfTime(cause.change_ns)}</span>
            <Name text={cause.says} most={kMostSaid} />
          </li>
        ))}
        {kernels.map(({ kernel, says }, i) => (
          <li key={`kernel-${i}`}>
            <Name text={kernel} most={kMostOfName} />: <Name text={says} most={kMostSaid} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {lines.map((line, i) => (
          <li key={i}>
            <Name text={line} most={kMostSaid} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Side({ title, side }: { title: string; side: GateSide }) {
  return (
    <section>
      <h2>
        {title}: <Name text={sideText(side)} most={80} />
      </h2>
      <ul class="gate-side">
        {side.sources.slice(0, 20).map((source, i) => (
          <li key={i}>
            <Name text={source} most={80} />
          </li>
        ))}
        {side.sources.length > 20 ? <li>and {side.sources.length - 20} more</li> : null}
        {Object.entries(side.conditions).map(([name, value]) => (
          <li key={`condition-${name}`}>
            {name}: <Name text={value} most={80} />
          </li>
        ))}
      </ul>
    </section>
  );
}
