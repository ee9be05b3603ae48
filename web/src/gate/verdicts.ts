import type { GateCheck, GateDecision, GateOutcome } from '../data/format.ts';
import { bytesText, kAbsent, percentText, timeText } from '../text/units.ts';

/** What a check asks for: 'warning' is a fail by a rule of that severity. */
export type CheckWord = 'fail' | 'warning' | 'not comparable' | 'inconclusive' | 'learning' | 'pass';

const kWords: Record<GateOutcome, CheckWord> = {
  fail: 'fail',
  not_comparable: 'not comparable',
  inconclusive: 'inconclusive',
  learning: 'learning',
  pass: 'pass',
};

export const wordOf = (outcome: GateOutcome): CheckWord => kWords[outcome];

export const wordOfCheck = ({ outcome, rule }: GateCheck): CheckWord =>
  outcome === 'fail' && rule.severity === 'warning' ? 'warning' : wordOf(outcome);

const kOutcomes: GateOutcome[] = ['fail', 'not_comparable', 'inconclusive'];

/** As src/report/decision/checks.h has it: what decides first, passes last. */
function rankOf({ outcome, rule }: GateCheck): number {
  if (outcome === 'pass') return 12;
  if (outcome === 'learning') return 11;
  const level = outcome === 'inconclusive' ? 1 : 0;
  return 3 * (level + (rule.severity === 'warning' ? 1 : 0)) + kOutcomes.indexOf(outcome);
}

/** Those that ask for something, in the order in which they matter, and those that pass, in the order of the budget. */
export function orderedChecks(checks: readonly GateCheck[]): { open: GateCheck[]; passing: GateCheck[] } {
  const ordered = [...checks].sort((a, b) => rankOf(a) - rankOf(b));
  return {
    open: ordered.filter(({ outcome }) => outcome !== 'pass'),
    passing: ordered.filter(({ outcome }) => outcome === 'pass'),
  };
}

type Side = 'base' | 'new';

export function amountText(check: GateCheck, side: Side): string {
  if (check[`${side}_ns`] !== undefined) return timeText(check[`${side}_ns`]);
  if (check[`${side}_bytes`] !== undefined) return bytesText(check[`${side}_bytes`]);
  if (check[`${side}_percent`] !== undefined) return percentText(check[`${side}_percent`]);
  const count = check[side];
  return count === null || count === undefined ? kAbsent : count.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

const valueOf = (check: GateCheck, side: Side): number | null =>
  check[`${side}_ns`] ?? check[`${side}_bytes`] ?? check[`${side}_percent`] ?? check[side] ?? null;

const signed = (percent: number): string => `${percent > 0 ? '+' : ''}${percent.toFixed(1)}`;

/** "+18.0 %" */
export function changeText(check: GateCheck): string {
  const base = valueOf(check, 'base');
  const next = valueOf(check, 'new');
  return base === null || next === null || base <= 0 ? kAbsent : `${signed(100 * (next / base - 1))}\u202f%`;
}

/** "+15.0 to +21.0 %", with what is not known as "–". */
export function intervalText({ ratio_interval: interval }: GateCheck): string {
  if (!interval) return kAbsent;
  const end = (ratio: number | null) => (ratio === null || ratio === 0 ? kAbsent : signed(100 * (ratio - 1)));
  const [low, high] = [end(interval.low), end(interval.high)];
  return low === kAbsent && high === kAbsent ? kAbsent : `${low} to ${high}\u202f%`;
}

export const chanceText = ({ p }: GateCheck): string =>
  p === null ? kAbsent : p >= 0.0001 ? p.toFixed(4).replace(/0+$/, '').replace(/\.$/, '') : p.toExponential(0);

/** "+6.10 ms" */
export const changeOfTime = (ns: number): string => (ns > 0 ? '+' : '') + timeText(ns);

/** "2 runs of v1.2" */
export function sideText({ label, sources }: GateDecision['new']): string {
  const runs = `${sources.length} run${sources.length === 1 ? '' : 's'}`;
  return label === null ? runs : `${runs} of ${label}`;
}
