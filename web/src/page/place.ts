import { timelineDetail, timelineState, type TimelineState } from '../timeline/address.ts';

/** Where in the page the reader is: what the address says after "#". */

/** Indexes of ReportDocument.profiles, Diagnosis.findings and Finding.evidence. */
export interface EvidencePlace {
  profile: number;
  finding: number;
  evidence: number;
}

export interface PagePlace {
  /** PagePart.id */
  part: string;
  /** On the timeline: the evidence that was followed. */
  evidence: EvidencePlace | null;
  /** On the timeline: what it showed. */
  timeline: TimelineState | null;
  /** Of the tables: which one. */
  table: string | null;
}

function evidenceOf(text: string): EvidencePlace | null {
  const [, profile, finding, evidence] = /^evidence-(\d{1,6})-(\d{1,6})-(\d{1,6})$/.exec(text) ?? [];
  return evidence === undefined
    ? null
    : { profile: Number(profile), finding: Number(finding), evidence: Number(evidence) };
}

/** "%" may stand alone in an address that somebody typed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** "#tables/cuda_api_sum"; an id that is not in `parts` leads to the overview. */
export function placeOfHash(hash: string, parts: readonly { id: string }[]): PagePlace {
  const [id = '', ...rest] = hash.replace(/^#/, '').split('/');
  const part = parts.some((known) => known.id === id) ? id : 'overview';
  const detail = rest.join('/');
  return {
    part,
    evidence: part === 'timeline' ? evidenceOf(detail) : null,
    timeline: part === 'timeline' ? timelineState(detail) : null,
    table: part === 'tables' && detail ? decoded(detail) : null,
  };
}

export const hashOfTimeline = (state: TimelineState): string => `#timeline/${timelineDetail(state)}`;
export const hashOfPart = (part: string): string => `#${part}`;
export const hashOfTable = (name: string): string => `#tables/${encodeURIComponent(name)}`;
export const hashOfEvidence = (at: EvidencePlace): string =>
  `#timeline/evidence-${at.profile}-${at.finding}-${at.evidence}`;
