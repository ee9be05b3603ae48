import type { Report } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';

export function KernelsView({ report }: { report: Report; navigation: Navigation }) {
  return <p>{report.document.title}</p>;
}
