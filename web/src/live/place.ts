/** Where in the page the reader is: what the address says after "#". */

export const kParts = ['gpus', 'incidents', 'processes', 'waste', 'configuration'] as const;
export type PartId = (typeof kParts)[number];

export interface LivePlace {
  part: PartId;
  /** UUID, gpu_N or N of the GPU whose details are shown. */
  gpu: string | null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** "#gpus/GPU-1a2b"; what is not known leads to the GPUs. */
export function placeOfHash(hash: string): LivePlace {
  const [id = '', ...rest] = hash.replace(/^#/, '').split('/');
  const part = kParts.find((known) => known === id) ?? 'gpus';
  const detail = rest.join('/');
  return { part, gpu: part === 'gpus' && detail ? decoded(detail) : null };
}

export const hashOfPart = (part: PartId): string => `#${part}`;
export const hashOfGpu = (uuid: string): string => `#gpus/${encodeURIComponent(uuid)}`;
