import { ComparedFindings } from '../differences/compared_findings.tsx';
import { ChangeSentence, DifferencesView } from '../differences/differences_view.tsx';
import { FindingsView } from '../findings/findings_view.tsx';
import type { ProfileDocument } from '../data/format.ts';
import type { Profile, Report } from '../data/report.ts';
import { FigureStrip } from './figure_strip.tsx';
import { GpuBars } from './gpu_bars.tsx';
import { unlikeGpus } from './header.tsx';
import { isMeasured, MeasuredNote } from './measured_note.tsx';
import { Name } from './name.tsx';
import { PartBoundary } from './part.tsx';
import { TopNames } from './top_names.tsx';

const hasTimeline = (profile: ProfileDocument): boolean => profile.timeline.tracks.length > 0;

/** What the page shows first; needs nothing that is not inline. */
export function Overview({ report }: { report: Report }) {
  return report.profiles.length > 1 ? <Compared report={report} /> : <Single profile={report.profiles[0]!} />;
}

function Single({ profile: { document } }: { profile: Profile }) {
  return (
    <>
      <Figures profile={document} />
      {isMeasured(document) ? (
        <FindingsView diagnosis={document.diagnosis} profile={0} leads={false} />
      ) : (
        <div class="overview-body">
          <FindingsView diagnosis={document.diagnosis} profile={0} leads={hasTimeline(document)} />
          <Tops profile={document} />
        </div>
      )}
    </>
  );
}

function Figures({ profile }: { profile: ProfileDocument }) {
  if (isMeasured(profile)) return <MeasuredNote profile={profile} />;
  return (
    <>
      <FigureStrip profile={profile} />
      <GpuBars summary={profile.summary} />
    </>
  );
}

function Tops({ profile: { summary, sections } }: { profile: ProfileDocument }) {
  const more = sections.kernels ? { more: { part: 'kernels', text: 'all kernels' } } : {};
  const calls = summary.api_calls.reduce((sum, call) => sum + call.total_ns, 0);
  return (
    <div class="tops">
      <TopNames
        title="Kernels with the most time"
        rows={summary.kernels}
        total_ns={summary.kernel_time?.total_ns ?? 0}
        {...more}
      />
      <TopNames title="API calls with the most time" rows={summary.api_calls} total_ns={calls} />
    </div>
  );
}

/** Above all else: differences of other hardware are not those of the program. */
function UnlikeGpus({ report }: { report: Report }) {
  const unlike = unlikeGpus(report.profiles.map(({ document }) => document));
  return unlike === null ? null : (
    <p class="unlike-gpus" role="note">
      {unlike}
    </p>
  );
}

function Compared({ report }: { report: Report }) {
  return (
    <>
      <UnlikeGpus report={report} />
      <PartBoundary>
        <ChangeSentence report={report} />
      </PartBoundary>
      <div class="side-by-side">
        {report.profiles.map(({ index, document }) => (
          <section key={index} aria-label={document.label}>
            <h2>
              <Name text={document.label} most={60} />
            </h2>
            <Figures profile={document} />
          </section>
        ))}
      </div>
      <PartBoundary>
        <ComparedFindings report={report} />
      </PartBoundary>
      <PartBoundary>
        <DifferencesView report={report} />
      </PartBoundary>
    </>
  );
}
