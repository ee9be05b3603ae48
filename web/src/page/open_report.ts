import { reportOfPage, type Report } from '../data/report.ts';

const kAgain = 'Create the report again: sonde report FILE -o report.html.';

/** The stream that takes the parts apart: Chrome and Edge 103, Safari 16.4, Firefox 113. */
function readsParts(): boolean {
  try {
    return new DecompressionStream('deflate-raw') !== undefined;
  } catch {
    return false;
  }
}

/** The report that the page holds. Throws one sentence that says what to do. */
export function openReport(): Report {
  if (!readsParts())
    throw new Error(
      'This browser is too old for the report. Open it in Chrome or Edge 105, Firefox 121, Safari 16.4 or later.',
    );
  const element = document.getElementById('sonde-report');
  if (!element?.textContent) throw new Error(`This page holds no report; it was saved only in part. ${kAgain}`);
  return checked(readReport());
}

function readReport(): Report {
  try {
    return reportOfPage();
  } catch (error) {
    throw new Error(`This report is damaged and cannot be read. ${kAgain}`, { cause: error });
  }
}

function checked(report: Report): Report {
  const schema: string = report.document.schema;
  if (schema !== 'sonde.report/1')
    throw new Error(`This report has another schema than its page (${schema}). ${kAgain}`);
  if (report.profiles.length === 0 && !report.gate) throw new Error(`This report holds no profile. ${kAgain}`);
  return report;
}
