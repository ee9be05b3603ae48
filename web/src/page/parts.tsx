import { CaptureView } from '../capture/capture_view.tsx';
import { CopiesView } from '../charts/copies_view.tsx';
import { KernelsView } from '../charts/kernels_view.tsx';
import { StepsView } from '../charts/steps_view.tsx';
import type { ProfileDocument, ReportDocument } from '../data/format.ts';
import { VerdictView } from '../gate/verdict_view.tsx';
import { ModulesView } from '../modules/modules_view.tsx';
import { StacksView } from '../stacks/stacks_view.tsx';
import { TablesView } from '../tables/tables_view.tsx';
import { TimelinePart } from '../timeline/timeline_part.tsx';
import { Overview } from './overview.tsx';
import { section, type Needs, type PagePart } from './part_row.ts';

const kAnyProfile: Needs = { has: () => true, missing: 'the gate compared run records without profiles' };

/** The tabs in their order. */
export const kParts: readonly PagePart[] = [
  {
    id: 'verdict',
    title: 'Verdict',
    needs: null,
    isPartOf: (report) => report.gate !== undefined,
    View: VerdictView,
  },
  {
    id: 'overview',
    title: 'Overview',
    needs: kAnyProfile,
    View: Overview,
  },
  {
    id: 'timeline',
    title: 'Timeline',
    needs: { has: (profile) => profile.timeline.tracks.length > 0, missing: 'no events with times were recorded' },
    View: TimelinePart,
  },
  { id: 'modules', title: 'Modules', needs: section('modules', 'no ranges were recorded'), View: ModulesView },
  { id: 'kernels', title: 'Kernels', needs: section('kernels', 'no kernels were recorded'), View: KernelsView },
  { id: 'copies', title: 'Copies', needs: section('copies', 'no copies were recorded'), View: CopiesView },
  { id: 'stacks', title: 'CPU', needs: section('stacks', 'no call stacks of the host were sampled'), View: StacksView },
  {
    id: 'steps',
    title: 'Steps',
    needs: {
      has: (profile) => profile.steps !== null,
      missing: 'no range and no sequence of launches repeats over most of the run',
    },
    View: StepsView,
  },
  {
    id: 'tables',
    title: 'Tables',
    needs: section('tables', 'no data for tables was recorded'),
    View: ({ place, ...props }) => <TablesView {...props} chosen={place.table} />,
  },
  { id: 'capture', title: 'Capture', needs: kAnyProfile, View: CaptureView },
];

export const partsOf = (report: Pick<ReportDocument, 'gate'>): PagePart[] =>
  kParts.filter(({ isPartOf }) => isPartOf?.(report) ?? true);

/** Why a part has nothing to show; null if it has something. */
export function whyMissing(profiles: readonly ProfileDocument[], { needs }: PagePart): string | null {
  return needs === null || profiles.some(needs.has) ? null : needs.missing;
}
