import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Service } from './service.ts';
import { useLoad } from './use_load.ts';

export interface Page<T> {
  items: T[];
  /** To ask for those behind them; null behind the last one. */
  next: number | null;
}

/** A list that is asked for in pages: the first one anew with each `version`, older ones on demand. */
export function usePages<T extends { id: number }>(
  service: Service,
  key: string,
  version: number,
  ask: (before: number | null) => Promise<Page<T>>,
  order: (a: T, b: T) => number,
) {
  const first = useLoad(service, key, version, () => ask(null));
  const [older, setOlder] = useState<{ of: string; pages: Page<T>[] }>({ of: key, pages: [] });
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    setOlder({ of: key, pages: [] });
    setError(null);
  }, [key]);
  const kept = older.of === key ? older.pages : [];
  // So much came meanwhile that nobody asked for what lies between: older pages would hide that.
  const isTorn = (first.value?.items.at(-1)?.id ?? 0) > (kept[0]?.items[0]?.id ?? Infinity);
  const pages = isTorn ? [] : kept;
  const items = useMemo(() => {
    // The first page is the newest word on what stands in several.
    const known = new Map<number, T>();
    for (const { items: some } of [...pages].reverse()) for (const item of some) known.set(item.id, item);
    for (const item of first.value?.items ?? []) known.set(item.id, item);
    return [...known.values()].sort(order);
  }, [first.value, pages.length, older]);
  const last = pages.at(-1) ?? first.value;
  const more = async () => {
    try {
      const page = await ask(last?.next ?? null);
      // What stands on the first page now stays when newer ones push it off.
      const begin = pages.length > 0 || !first.value ? pages : [first.value];
      setOlder({ of: key, pages: [...begin, page] });
      setError(null);
    } catch (problem) {
      service.failed(problem);
      setError(problem);
    }
  };
  return {
    items,
    error: error ?? first.error,
    isLoading: first.value === null && !first.error,
    hasMore: last != null && last.next !== null,
    more,
  };
}
