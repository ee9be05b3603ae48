import type { Report } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';

export function CopiesView({ report }: { report: Report; navigation: Navigation }) {
  return <p>{report.document.title}</p>;
}
