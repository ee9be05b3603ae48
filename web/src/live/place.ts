/** Where in the page the reader is: what the address says after "#". */

export const kParts = ['gpus', 'tasks', 'incidents', 'processes', 'waste', 'configuration'] as const;
export type PartId = (typeof kParts)[number];

export interface LivePlace {
  part: PartId;
  /** What of it: UUID, gpu_N or N of a GPU; of tasks what tasksPlaceOf() reads. Null for all of it. */
  detail: string | null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const kWithDetail: readonly PartId[] = ['gpus', 'tasks'];

/** "#gpus/GPU-1a2b"; what is not known leads to the GPUs. */
export function placeOfHash(hash: string): LivePlace {
  const [id = '', ...rest] = hash.replace(/^#/, '').split('/');
  const part = kParts.find((known) => known === id) ?? 'gpus';
  const detail = rest.join('/');
  return { part, detail: kWithDetail.includes(part) && detail ? decoded(detail) : null };
}

export const hashOfPart = (part: PartId): string => `#${part}`;
export const hashOfGpu = (uuid: string): string => `#gpus/${encodeURIComponent(uuid)}`;

export const kTaskPlaces = ['queue', 'all', 'batches', 'types', 'submit'] as const;
export type TaskPlaceId = (typeof kTaskPlaces)[number];

/** What a list of tasks is limited to; empty: not. */
export interface TaskFilter {
  state: string;
  type: string;
  by: string;
  batch: string;
}
export const kNoFilter: TaskFilter = { state: '', type: '', by: '', batch: '' };

export type TasksPlace =
  | { at: 'queue' | 'batches' | 'types' | 'submit' }
  | { at: 'all'; filter: TaskFilter }
  | { at: 'task' | 'batch'; id: number };

/** "12", "batches/3", "all?type=train"; what is not known leads to the queue. */
export function tasksPlaceOf(detail: string | null): TasksPlace {
  const [path = '', query = ''] = (detail ?? '').split(/\?(.*)/s);
  const batch = /^batches\/(\d{1,15})$/.exec(path);
  if (batch) return { at: 'batch', id: Number(batch[1]) };
  if (/^\d{1,15}$/.test(path)) return { at: 'task', id: Number(path) };
  if (path === 'batches' || path === 'types' || path === 'submit') return { at: path };
  if (path !== 'all') return { at: 'queue' };
  const wanted = new URLSearchParams(query);
  const of = (name: keyof TaskFilter) => wanted.get(name) ?? '';
  return { at: 'all', filter: { state: of('state'), type: of('type'), by: of('by'), batch: of('batch') } };
}

export const hashOfTask = (id: number): string => `#tasks/${id}`;
export const hashOfBatch = (id: number): string => `#tasks/batches/${id}`;
export const hashOfTasks = (at: TaskPlaceId): string => (at === 'queue' ? '#tasks' : `#tasks/${at}`);

export function hashOfList(filter: Partial<TaskFilter>): string {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''));
  // The address is read as a whole, so a percent sign of the query stands there twice.
  return query.size > 0 ? `#tasks/all?${encodeURIComponent(query.toString())}` : '#tasks/all';
}
