import type { Report } from '../data/report.ts';
import type { Focus } from '../navigation.ts';

export interface TimelineProps {
  report: Report;
  /** A new object each time that somebody asks for a place. */
  focus: Focus | null;
}

export function TimelineView({ report }: TimelineProps) {
  return <p>{report.profiles.map((profile) => `${profile.document.timeline.tracks.length} tracks`).join(', ')}</p>;
}
