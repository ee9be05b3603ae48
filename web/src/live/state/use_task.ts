import { useEffect, useMemo, useState } from 'preact/hooks';
import { Paced } from './paced.ts';
import type { Service } from './service.ts';
import { useStore } from './store.ts';
import type { Store } from './store.ts';

/** ms between two readings of what a task's page shows. */
const kTaskPause = 700;
const kQueuePause = 2500;
const kListPause = 2000;

/** Grows at most every `pause` ms while `stores` change in a way that `concerns` says matters. */
function usePaced(pause: number, of: unknown, follow: (grow: () => void) => () => void): number {
  const [version, setVersion] = useState(0);
  const paced = useMemo(() => new Paced(() => setVersion((n) => n + 1), pause), [pause, of]);
  useEffect(() => {
    const leave = follow(() => paced.wish());
    return () => {
      leave();
      paced.stop();
    };
  }, [paced]);
  return version;
}

/** A version of the task `id` for useLoad: grows when something happens to it. */
export function useTaskVersion(service: Service, id: number): number {
  const { latest } = service.tasks;
  const resets = useStore(service.tasks.resets);
  return (
    resets + usePaced(kTaskPause, id, (grow) => latest.subscribe((changed) => (changed.has(id) ? grow() : undefined)))
  );
}

/** Grows when anything happens that may change why the task waits. */
export function useQueueVersion(service: Service, isWanted: boolean): number {
  return usePaced(kQueuePause, isWanted, (grow) => {
    if (!isWanted) return () => undefined;
    const stores: Store<number>[] = [service.tasks.changes, service.samples, service.configChanges];
    const leaves = stores.map((store) => store.subscribe(grow));
    return () => leaves.forEach((leave) => leave());
  });
}

/** Grows when lists of tasks and batches are to be asked for anew. */
export function useListVersion(service: Service): number {
  const { changes } = service.tasks;
  return usePaced(kListPause, service, (grow) => changes.subscribe(grow));
}

/** The queue, kept up to date while the caller is shown. */
export function useQueue(service: Service) {
  useEffect(() => service.tasks.watch(), [service]);
  return useStore(service.tasks.queue);
}
