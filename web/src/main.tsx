import './theme/base.css';
import './style.css';
import { render } from 'preact';
import type { Report } from './data/report.ts';
import { ReportPage } from './page.tsx';
import { openReport } from './page/open_report.ts';
import { messageOf, PartBoundary } from './page/part.tsx';
import { watchPrinting } from './page/printing.ts';
import { applyTheme, storedTheme } from './theme/theme.ts';

function show(page: HTMLElement, report: Report): void {
  // What the gate wrote is opened for its verdict.
  if (report.gate && !location.hash) location.replace('#verdict');
  if (!document.title) document.title = report.document.title;
  render(
    <PartBoundary>
      <ReportPage report={report} />
    </PartBoundary>,
    page,
  );
}

function start(page: HTMLElement): void {
  applyTheme(storedTheme());
  watchPrinting();
  try {
    show(page, openReport());
  } catch (error) {
    render(
      <p class="cannot-open" role="alert">
        {messageOf(error)}
      </p>,
      page,
    );
  }
}

const page = document.getElementById('page');
if (page) start(page);
