import type { ProfileDocument, ReportDocument } from '../data/format.ts';
import type { Sections } from '../data/format.ts';
import { kParts, type PartId } from './place.ts';

type Needs = (profile: ProfileDocument) => boolean;

const section =
  (name: keyof Sections): Needs =>
  (profile) =>
    profile.sections[name] !== undefined;

/** What a part needs, and what is the matter where no profile has it. */
const kNeeds: Record<PartId, [Needs, string]> = {
  verdict: [() => true, ''],
  overview: [() => true, 'the gate compared run records without profiles'],
  timeline: [(profile) => profile.timeline.tracks.length > 0, 'no events with times were recorded'],
  modules: [section('modules'), 'no ranges were recorded'],
  kernels: [section('kernels'), 'no kernels were recorded'],
  copies: [section('copies'), 'no copies were recorded'],
  steps: [(profile) => profile.steps !== null, 'no range and no sequence of launches repeats over most of the run'],
  tables: [section('tables'), 'no data for tables was recorded'],
  capture: [() => true, ''],
};

type PagePart = (typeof kParts)[number];

/** Those of a report; the verdict is there where the gate wrote the page. */
export const partsOf = (report: Pick<ReportDocument, 'gate'>): PagePart[] =>
  kParts.filter(({ id }) => id !== 'verdict' || report.gate !== undefined);

/** Why a part has nothing to show; null where it has. */
export function whyMissing(profiles: readonly ProfileDocument[], part: PartId): string | null {
  const [has, reason] = kNeeds[part];
  if (part === 'verdict') return null;
  return profiles.some(has) ? null : reason;
}
