/** Where in the page the reader is: what the address says after "#". */

export const kParts = [
  { id: 'verdict', title: 'Verdict' },
  { id: 'overview', title: 'Overview' },
  { id: 'timeline', title: 'Timeline' },
  { id: 'modules', title: 'Modules' },
  { id: 'kernels', title: 'Kernels' },
  { id: 'copies', title: 'Copies' },
  { id: 'steps', title: 'Steps' },
  { id: 'tables', title: 'Tables' },
  { id: 'capture', title: 'Capture' },
] as const;

export type PartId = (typeof kParts)[number]['id'];

/** Indexes of ReportDocument.profiles, Diagnosis.findings and Finding.evidence. */
export interface EvidencePlace {
  profile: number;
  finding: number;
  evidence: number;
}

export interface PagePlace {
  part: PartId;
  /** On the timeline: the evidence that was followed. */
  evidence: EvidencePlace | null;
  /** Of the tables: which one. */
  table: string | null;
}

const partOf = (id: string): PartId => kParts.find((part) => part.id === id)?.id ?? 'overview';

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

/** "#tables/cuda_api_sum"; what is not known leads to the overview. */
export function placeOfHash(hash: string): PagePlace {
  const [id = '', ...rest] = hash.replace(/^#/, '').split('/');
  const part = partOf(id);
  const detail = rest.join('/');
  return {
    part,
    evidence: part === 'timeline' ? evidenceOf(detail) : null,
    table: part === 'tables' && detail ? decoded(detail) : null,
  };
}

export const hashOfPart = (part: string): string => `#${partOf(part)}`;
export const hashOfTable = (name: string): string => `#tables/${encodeURIComponent(name)}`;
export const hashOfEvidence = (at: EvidencePlace): string =>
  `#timeline/evidence-${at.profile}-${at.finding}-${at.evidence}`;
