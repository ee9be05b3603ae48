import { useEffect, useState } from 'preact/hooks';
import type { Service } from './service.ts';

export interface Loaded<T> {
  /** The last one that came, also while another is asked for. */
  value: T | null;
  error: unknown;
  /** The key that `value` is of. */
  of: string | null;
}

/** What a call brings; asked again whenever `key` or `version` changes. Another key forgets what was there. */
export function useLoad<T>(service: Service, key: string, version: number, ask: () => Promise<T>): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: null, error: null, of: null });
  useEffect(() => {
    let wanted = true;
    ask().then(
      (value) => wanted && setLoaded({ value, error: null, of: key }),
      (error: unknown) => {
        service.failed(error);
        if (wanted) setLoaded((before) => ({ value: before.of === key ? before.value : null, error, of: key }));
      },
    );
    return () => {
      wanted = false;
    };
  }, [service, key, version]);
  return loaded.of === key ? loaded : { value: null, error: null, of: null };
}
