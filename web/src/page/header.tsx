import type { ProfileDocument, ReportDocument, Source } from '../data/format.ts';
import type { Report } from '../data/report.ts';
import { countText, timeText } from '../text/units.ts';
import { ThemeSwitch } from '../theme/theme_switch.tsx';
import { Name } from './name.tsx';
import { printReport } from './printing.ts';

/** Names with how often each is there: "4 × NVIDIA H100, NVIDIA A100" */
export function listed(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Array.from(counts, ([name, count]) => (count > 1 ? `${countText(count)} × ${name}` : name)).join(', ');
}

const productOf = ({ product, product_version }: Source): string =>
  product_version ? `${product} ${product_version}` : product;

export const productsOf = (sources: readonly Source[]): string =>
  Array.from(new Set(sources.map(productOf))).join(', ');

/** "a.sqlite", "a.sqlite and 7 more files" */
export function filesText(sources: readonly Source[]): string {
  const [first, ...others] = sources;
  if (!first) return 'no file';
  if (others.length === 0) return first.file;
  return `${first.file} and ${countText(others.length)} more file${others.length === 1 ? '' : 's'}`;
}

/** Those that worked; of a kernel profiler's report those that it names. */
export function gpusText({ summary, capture }: Pick<ProfileDocument, 'summary' | 'capture'>): string {
  const worked = listed(summary.gpus.map((gpu) => gpu.name ?? gpu.place));
  return worked || listed(capture.gpus.map(({ title }) => title)) || 'no GPU work';
}

/** Says it where profiles are of different GPUs; null where they are alike or not known. */
export function unlikeGpus(profiles: readonly Pick<ProfileDocument, 'label' | 'summary'>[]): string | null {
  const names = profiles.map(({ summary }) => [...new Set(summary.gpus.flatMap(({ name }) => name ?? []))].sort());
  const [base, next] = names.map((all) => all.join(', '));
  if (!base || !next || base === next) return null;
  return `The profiles are of different GPUs: ${profiles[0]!.label} ran on ${base}, ${profiles[1]!.label} on ${next}. The differences include those of the hardware.`;
}

function ProfileLine({ profile, several }: { profile: ProfileDocument; several: boolean }) {
  const { sources } = profile.summary;
  return (
    <p class="ran">
      {several ? (
        <strong class="ran-label">
          <Name text={profile.label} most={40} />
        </strong>
      ) : null}
      <span>
        <Name text={gpusText(profile)} most={80} />
      </span>
      <span
        title={sources
          .map((source) => source.file)
          .join('\n')
          .slice(0, 2000)}
      >
        <Name text={filesText(sources)} most={80} />
      </span>
      <span>
        recorded by <Name text={productsOf(sources) || 'an unknown program'} most={60} />
      </span>
      {profile.span_ns > 0 ? <span>{timeText(profile.span_ns)} long</span> : null}
    </p>
  );
}

function Made({ document }: { document: ReportDocument }) {
  return <span class="made">Sonde {document.sonde_version}</span>;
}

/** What this is a report of. */
export function Header({ report }: { report: Report }) {
  const { document } = report;
  return (
    <header class="page-header">
      <div class="page-title">
        <h1>
          <Name text={document.title} most={120} />
        </h1>
        <span class="page-tools no-print">
          <Made document={document} />
          <ThemeSwitch />
          <button type="button" onClick={() => void printReport(report)}>
            Print
          </button>
        </span>
      </div>
      {document.profiles.map((profile, i) => (
        <ProfileLine key={i} profile={profile} several={document.profiles.length > 1} />
      ))}
    </header>
  );
}
