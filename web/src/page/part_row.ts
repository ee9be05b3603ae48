import type { ComponentChild } from 'preact';
import type { ProfileDocument, ReportDocument, Sections } from '../data/format.ts';
import type { Report } from '../data/report.ts';
import type { Focus, Navigation } from '../navigation.ts';
import type { PagePlace } from './place.ts';

/** What the view of a part gets. */
export interface ViewProps {
  report: Report;
  place: PagePlace;
  focus: Focus | null;
  navigation: Navigation;
}

/** What a part needs of at least one profile, and the message if none has it: "Not available: ...". */
export interface Needs {
  has: (profile: ProfileDocument) => boolean;
  missing: string;
}

/** A tab of the report page. One row of parts.tsx each. */
export interface PagePart {
  /** Its place in the address, after "#". */
  id: string;
  title: string;
  /** null: the part is always available. */
  needs: Needs | null;
  /** Whether a report has the tab at all; every report if absent. */
  isPartOf?: (report: Pick<ReportDocument, 'gate'>) => boolean;
  View: (props: ViewProps) => ComponentChild;
}

/** A profile has a section only if it has data for it. */
export const section = (name: keyof Sections, missing: string): Needs => ({
  has: (profile) => profile.sections[name] !== undefined,
  missing,
});
