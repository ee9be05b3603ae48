import type { ProfileDocument } from '../data/format.ts';
import { gpusText, productsOf } from './header.tsx';
import { Name } from './name.tsx';
import { hashOfPart } from './place.ts';

/** Counters of kernels, measured one at a time: the profile has no run whose time could be shown. */
export const isMeasured = ({ span_ns, sections, summary }: ProfileDocument): boolean =>
  span_ns === 0 && sections.kernels !== undefined && summary.gpus.length === 0;

/** As `sonde info` counts them. */
export function launchesText({ capture }: Pick<ProfileDocument, 'capture'>): string {
  const facts = capture.files.flatMap((file) => file.facts);
  const count = facts.find(([name]) => name === 'profiled launches')?.[1];
  if (count === undefined) return 'kernels';
  return `${count} kernel launch${count === '1' ? '' : 'es'}`;
}

/** What a report of a kernel profiler is, and where to go on. */
export function MeasuredNote({ profile }: { profile: ProfileDocument }) {
  const on = `${launchesText(profile)} on ${gpusText(profile)}`;
  return (
    <section class="measured-note" aria-label="About this report">
      <p>
        Counters of <Name text={on} most={120} />, measured by{' '}
        <Name text={productsOf(profile.summary.sources) || 'a kernel profiler'} most={60} />.
      </p>
      <p>
        <a href={hashOfPart('kernels')}>Kernels: times, bounds, roofline, advice and counters of each launch</a>
      </p>
      <p class="muted">
        The profiler ran the kernels one at a time, so there is no timeline and no idle time. Record the run too (sonde
        record -t cuda,nvtx PROGRAM, or nsys profile with the same options), and combine both in one report with sonde
        report RUN.sqlite KERNELS.ncu-rep.
      </p>
    </section>
  );
}
