import './capture.css';
import { useState } from 'preact/hooks';
import type { Capture, ImportIssue, ProfileDocument } from '../data/format.ts';
import type { Report } from '../data/report.ts';
import { Limits } from '../findings/findings_view.tsx';
import { Name } from '../page/name.tsx';
import { usePrinting } from '../page/printing.ts';
import { ProfileSwitch } from '../page/profile_switch.tsx';
import { countText } from '../text/units.ts';

/** How the profile was taken, and what it does not hold. */
export function CaptureView({ report }: { report: Report }) {
  const [chosen, setChosen] = useState(0);
  const printing = usePrinting();
  const shown = report.profiles.filter(({ index }) => printing || index === chosen);
  return (
    <>
      <ProfileSwitch report={report} chosen={chosen} onChoose={setChosen} />
      {shown.map(({ index, document }) => (
        <div key={index}>
          {shown.length > 1 ? (
            <h2>
              <Name text={document.label} most={60} />
            </h2>
          ) : null}
          <OneCapture profile={document} />
        </div>
      ))}
    </>
  );
}

function OneCapture({ profile }: { profile: ProfileDocument }) {
  const { capture, summary, diagnosis } = profile;
  return (
    <div class="capture">
      <section>
        <h2>Missing</h2>
        <Missing capture={capture} />
        <Issues issues={summary.import_log} />
        <Limits diagnosis={diagnosis} />
      </section>
      <section>
        <h2>Files</h2>
        <FactLists lists={capture.files} />
        {capture.gpus.length > 0 ? <h2>GPUs</h2> : null}
        <FactLists lists={capture.gpus} />
      </section>
    </div>
  );
}

function Missing({ capture }: { capture: Capture }) {
  if (capture.missing.length === 0) return <p>No data that Sonde uses is missing from the files.</p>;
  return (
    <dl class="missing">
      {capture.missing.map(({ what, meaning }, i) => (
        <div key={i}>
          <dt>
            <Name text={what} most={200} />
          </dt>
          <dd>
            <Name text={meaning} most={800} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Issues({ issues }: { issues: readonly ImportIssue[] }) {
  if (issues.length === 0) return null;
  return (
    <>
      <h3>Problems in the files</h3>
      <table class="plain wrap">
        <thead>
          <tr>
            <th scope="col" class="number">
              Times
            </th>
            <th scope="col">Problem</th>
            <th scope="col">Effect</th>
          </tr>
        </thead>
        <tbody>
          {issues.map((issue, i) => (
            <tr key={i}>
              <td class="number">{countText(issue.count)}</td>
              <td>
                <Name text={issue.detail ? `${issue.what}: ${issue.detail}` : issue.what} most={300} />
              </td>
              <td>
                <Name text={issue.meaning} most={500} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function FactLists({ lists }: { lists: Capture['files'] }) {
  return (
    <>
      {lists.map(({ title, facts }, i) => (
        <section key={i} class="facts">
          <h3>
            <Name text={title} most={120} />
          </h3>
          <dl>
            {facts.map(([name, value], at) => (
              <div key={at}>
                <dt>
                  <Name text={name} most={60} />
                </dt>
                <dd>
                  <Name text={value} most={400} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </>
  );
}
