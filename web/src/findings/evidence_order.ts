import type { EvidencePlace } from '../page/place.ts';

/** The evidence `by` further in the same finding; behind the last stands the first. */
export function otherEvidence(at: EvidencePlace, count: number, by: number): EvidencePlace {
  return count > 0 ? { ...at, evidence: (((at.evidence + by) % count) + count) % count } : at;
}
