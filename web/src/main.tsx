import './style.css';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import { reportOfPage, type Report } from './data/report.ts';
import type { Focus } from './navigation.ts';
import { TimelineView } from './timeline/timeline_view.tsx';

function ReportPage({ report }: { report: Report }) {
  const [focus] = useState<Focus | null>(null);
  return (
    <main>
      <h1>{report.document.title}</h1>
      <TimelineView report={report} focus={focus} />
    </main>
  );
}

render(<ReportPage report={reportOfPage()} />, document.getElementById('page')!);
