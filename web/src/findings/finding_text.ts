import type { Diagnosis, Evidence, Finding } from '../data/format.ts';
import { countText, kAbsent, percentText, timeText } from '../text/units.ts';

/** "saves at most 12.3 ms": what the ceiling means, in the words of `sonde why`. */
export function ceilingText(finding: Finding): string {
  if (!finding.takes_time) return 'costs no time yet';
  return finding.reachable ? `saves at most ${timeText(finding.ceiling_ns)}` : `bound: ${timeText(finding.ceiling_ns)}`;
}

/** "likely 31.2 ms to 46.4 ms, by 5 measured fixes"; empty for a finding without. */
export const likelyText = ({ likely }: Finding): string =>
  likely
    ? `likely ${timeText(likely.low_ns)} to ${timeText(likely.high_ns)}, by ${countText(likely.cases)} measured fixes`
    : '';

/** What is to be known of the ceiling besides; empty for a usual one. */
export function ceilingNote(finding: Finding): string {
  if (!finding.takes_time) return 'It costs no time by itself.';
  return finding.reachable ? '' : 'This is only a bound; no fix can save all of it.';
}

/** "GPU 0, in cudaMalloc" */
export const evidencePlaceText = (evidence: Evidence): string =>
  evidence.brief === null ? evidence.place : `${evidence.place}, in ${evidence.brief}`;

export const durationOf = (evidence: Evidence): number => evidence.end_ns - evidence.start_ns;

/** "19 of 20 × 'iteration', 255 ms": what was judged; empty where there is no run. */
export function judgedText(diagnosis: Diagnosis): string {
  const { steps } = diagnosis;
  if (diagnosis.wall_ns === 0) return '';
  if (!steps) return `the whole run, ${timeText(diagnosis.wall_ns)}`;
  return `${countText(steps.judged)} of ${countText(steps.recorded)} × ‘${steps.range}’, ${timeText(diagnosis.wall_ns)}`;
}

/** The answer where no finding leads; empty where one does. */
export function headlineText({ headline, wall_ns }: Diagnosis): string {
  return wall_ns === 0 ? 'There is no run to judge because no times were recorded.' : (headline ?? '');
}

/** The folded findings and the most that each can save. */
export const foldedText = ({ findings }: Diagnosis): string =>
  findings
    .filter((finding) => finding.folded)
    .map((finding) => `${finding.id} ${percentText(finding.ceiling_percent)}`)
    .join(', ');

/** Where the judged time goes; empty where nothing was judged. */
export function explainedText({ answer, explained, wall_ns }: Diagnosis): string {
  if (wall_ns === 0 || answer === 'could_not_look') return '';
  const share = (ns: number) => percentText((100 * ns) / wall_ns);
  const { by_findings_ns, work_ns, idle_ns, roofline } = explained;
  const operators = roofline
    ? ` Operators of known shapes, ${percentText(roofline.known_percent)} of the kernels’ time, run at ${percentText(roofline.roofline_percent)} of their roofline.`
    : '';
  return `Of this time: ${share(by_findings_ns)} covered by findings, ${share(work_ns)} GPU work that no finding covers, ${share(idle_ns)} idle and not explained.${operators}`;
}

/** Whether something was not looked at, or not concluded. */
export const hasLimits = (diagnosis: Diagnosis): boolean =>
  diagnosis.not_recorded.length + diagnosis.no_conclusion.length > 0;

export interface Abstention {
  rules: string[];
  says: string;
}

/** Rules that could not conclude for the same reason stand together. */
export function abstentionsOf(diagnosis: Diagnosis): Abstention[] {
  const rules = new Map<string, string[]>();
  for (const { rule, says } of diagnosis.no_conclusion) rules.set(says, [...(rules.get(says) ?? []), rule]);
  return Array.from(rules, ([says, names]) => ({ says, rules: names }));
}

/** "38.1 %" of the judged time; nothing where it takes none. */
export const shareText = (finding: Finding): string =>
  finding.takes_time ? percentText(finding.ceiling_percent) : kAbsent;
