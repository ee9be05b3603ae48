import { useEffect, useState } from 'preact/hooks';
import { currentScheme, type Scheme } from './colours.ts';

/** Light or dark, as the page is shown now; changes with the reader's choice and with the system's. */
export function useScheme(): Scheme {
  const [scheme, setScheme] = useState(currentScheme);
  useEffect(() => {
    const read = () => setScheme(currentScheme());
    const system = matchMedia('(prefers-color-scheme: dark)');
    const chosen = new MutationObserver(read);
    chosen.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    system.addEventListener('change', read);
    read();
    return () => {
      chosen.disconnect();
      system.removeEventListener('change', read);
    };
  }, []);
  return scheme;
}
