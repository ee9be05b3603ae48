/** The timeline alone on a page, for looking at it and for measuring. A focus can stand in the address as JSON. */
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { reportOfPage } from '../src/data/report.ts';
import type { Focus } from '../src/navigation.ts';
import { TimelineView } from '../src/timeline/timeline_view.tsx';

const focusOfAddress = (): Focus | null =>
  location.hash.length > 1 ? (JSON.parse(decodeURIComponent(location.hash.slice(1))) as Focus) : null;

function SamplePage() {
  const [report] = useState(reportOfPage);
  const [focus, setFocus] = useState(focusOfAddress);
  useEffect(() => addEventListener('hashchange', () => setFocus(focusOfAddress())), []);
  return <TimelineView report={report} focus={focus} />;
}

render(<SamplePage />, document.getElementById('page')!);
