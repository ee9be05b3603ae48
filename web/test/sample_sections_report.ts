/** A report made by hand whose sections are in the page already, without blobs of base64. */
import { deflateRawSync } from 'node:zlib';
import type { JsonBlob, ProfileDocument, ReportDocument, Sections, Track } from '../src/data/format.ts';
import { largeModules, sampleCopies, sampleKernels, sampleModules, sampleSteps } from './sample_sections.ts';

export interface SampleReport {
  document: ReportDocument;
  blobs: Record<string, string>;
}

export type SampleKind = 'full' | 'compared' | 'empty' | 'long' | 'bare';

export function sampleReport(kind: SampleKind): SampleReport {
  const blobs: Record<string, string> = {};
  const pack = <T>(id: string, content: T): JsonBlob<T> => {
    const text = Buffer.from(JSON.stringify(content));
    blobs[id] = deflateRawSync(text).toString('base64');
    return { id, bytes: text.length };
  };
  const sides = kind === 'compared' ? ['base', 'new'] : ['run.nsys-rep'];
  const profiles = sides.map((label, index) => profileOf(kind, label, index, pack));
  const document: ReportDocument = {
    schema: 'sonde.report/1',
    sonde_version: '0.1.0',
    title: `sample, ${kind}`,
    profiles,
    differences: null,
  };
  return { document, blobs };
}

function profileOf(
  kind: SampleKind,
  label: string,
  index: number,
  pack: <T>(id: string, content: T) => JsonBlob<T>,
): ProfileDocument {
  const scale = index === 0 ? 1 : 0.72;
  const several = kind !== 'compared';
  const sections: Partial<Sections> =
    kind === 'empty'
      ? {}
      : {
          modules: pack(
            `modules-${index}`,
            kind === 'long' ? largeModules(50_000) : sampleModules({ scale, ranks: several, measured: index === 0 }),
          ),
          kernels: pack(
            `kernels-${index}`,
            sampleKernels({ scale, counters: index === 0 || !several, rows: kind === 'long' ? 7000 : 40 }),
          ),
          copies: pack(`copies-${index}`, sampleCopies({ scale: 2 - scale })),
        };
  if (kind === 'bare') Object.assign(sections, bareSections(pack));
  const steps = sampleSteps({
    scale,
    ranks: several ? 4 : 1,
    count: kind === 'long' ? 20_000 : 60,
    warm_up: index === 0 ? 3 : 0,
  });
  return {
    label,
    span_ns: 2_500_000_000,
    summary: {
      avg_kernel_time: null,
      sources: [],
      total_ns: 0,
      set_up_ns: 0,
      after_ns: 0,
      gpus: [],
      kernel_time: null,
      launch_latency: null,
      warm_up: null,
      kernels: [],
      api_calls: [],
      import_log: [],
    },
    diagnosis: {
      wall_ns: 0,
      steps: null,
      answer: 'could_not_look',
      headline: null,
      explained: { by_findings_ns: 0, work_ns: 0, idle_ns: 0 },
      findings: [],
      not_recorded: [],
      no_conclusion: [],
    },
    capture: { files: [], gpus: [], missing: [] },
    steps: kind === 'empty' ? null : kind === 'bare' ? { ...steps, ranks: index === 0 ? [] : steps.ranks } : steps,
    timeline: {
      texts: pack(`texts-${index}`, []),
      ranks: several ? ['rank 0', 'rank 1', 'rank 2', 'rank 3'] : [''],
      tracks: [0, 1, 2, 3].slice(0, several ? 4 : 1).map(gpuTrack),
      events: 0,
      slices: 0,
      detailed: [],
      tiles: null,
    },
    sections,
  };
}

/** Sections that are there but have no rows, and plots without points. */
function bareSections(pack: <T>(id: string, content: T) => JsonBlob<T>): Partial<Sections> {
  const emptied = <T extends object>(value: T): T =>
    Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        key,
        Array.isArray(one)
          ? []
          : one !== null && typeof one === 'object'
            ? emptied(one as object)
            : typeof one === 'number'
              ? 0
              : one,
      ]),
    ) as T;
  const kernels = sampleKernels();
  return {
    modules: pack('modules-bare', { ...emptied(sampleModules()), device_by_rank_ns: null }),
    kernels: pack('kernels-bare', { ...emptied(kernels), rooflines: [{ ...kernels.rooflines[0]!, points: [] }] }),
    copies: pack('copies-bare', emptied(sampleCopies())),
  };
}

const gpuTrack = (rank: number): Track => ({
  id: rank,
  kind: 'gpu',
  label: 'Stream 7',
  path: [`GPU ${rank}`],
  place: `GPU ${rank}`,
  rank,
  events: 0,
  total_ns: 0,
  rows: [],
  names: [],
  details: null,
  data: { id: `track-${rank}`, bytes: 0, columns: [] },
  counter: null,
});
