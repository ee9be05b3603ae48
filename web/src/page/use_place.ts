import { useEffect, useState } from 'preact/hooks';
import { kParts } from './parts.tsx';
import { placeOfHash, type PagePlace } from './place.ts';

/** The place that the address names; the back button leads to the one before. */
export function usePlace(): PagePlace {
  const [place, setPlace] = useState(() => placeOfHash(location.hash, kParts));
  useEffect(() => {
    const read = () => setPlace(placeOfHash(location.hash, kParts));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, []);
  return place;
}
