import type { Differences } from '../data/format.ts';
import type { Report } from '../data/report.ts';
import { usePromise, type Loaded } from '../page/use_promise.ts';

const nothing: Promise<Differences> = Promise.reject(new Error('it contains no comparison of its profiles'));
nothing.catch(() => undefined);

export const useDifferences = (report: Report): Loaded<Differences> => usePromise(report.differences?.() ?? nothing);
