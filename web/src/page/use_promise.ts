import { useEffect, useState } from 'preact/hooks';

export type Loaded<T> = { state: 'waiting' } | { state: 'done'; value: T } | { state: 'failed'; error: unknown };

/** What is settled is there at once, without a frame that says "loading". */
const settled = new WeakMap<Promise<unknown>, Loaded<unknown>>();

export function remember<T>(promise: Promise<T>): Promise<Loaded<T>> {
  const keep = (loaded: Loaded<T>): Loaded<T> => {
    settled.set(promise, loaded);
    return loaded;
  };
  return promise.then(
    (value) => keep({ state: 'done', value }),
    (error: unknown) => keep({ state: 'failed', error }),
  );
}

/** The promise has to be the same one at each render. */
export function usePromise<T>(promise: Promise<T>): Loaded<T> {
  const [, setLoaded] = useState<unknown>(null);
  useEffect(() => {
    let wanted = true;
    if (!settled.has(promise)) void remember(promise).then((loaded) => wanted && setLoaded(loaded));
    return () => {
      wanted = false;
    };
  }, [promise]);
  return (settled.get(promise) as Loaded<T> | undefined) ?? { state: 'waiting' };
}
