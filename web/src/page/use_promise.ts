import { useEffect, useState } from 'preact/hooks';

export type Loaded<T> = { state: 'waiting' } | { state: 'done'; value: T } | { state: 'failed'; error: unknown };

/** What is settled is there at once, without a frame that says "loading". */
const settled = new WeakMap<Promise<unknown>, Loaded<unknown>>();

const pending = new WeakMap<Promise<unknown>, Promise<Loaded<unknown>>>();

/** Never rejects. */
export function remember<T>(promise: Promise<T>): Promise<Loaded<T>> {
  const keep = (loaded: Loaded<T>): Loaded<T> => {
    settled.set(promise, loaded);
    return loaded;
  };
  const known = pending.get(promise) as Promise<Loaded<T>> | undefined;
  if (known) return known;
  const result = promise.then(
    (value) => keep({ state: 'done', value }),
    (error: unknown) => keep({ state: 'failed', error }),
  );
  pending.set(promise, result);
  return result;
}

/** The promise has to be the same one at each render. */
export function usePromise<T>(promise: Promise<T>): Loaded<T> {
  const [, setLoaded] = useState<unknown>(null);
  // At once: a promise that fails before the effect runs would be an unhandled one.
  const result = remember(promise);
  const drawn = settled.get(promise) as Loaded<T> | undefined;
  useEffect(() => {
    let wanted = true;
    if (!drawn) void result.then((loaded) => wanted && setLoaded(loaded));
    return () => {
      wanted = false;
    };
  }, [promise]);
  return drawn ?? { state: 'waiting' };
}
