import { useEffect, useState } from 'preact/hooks';
import { currentScheme, type Scheme } from '../theme/colours.ts';

/** Light or dark, as it changes: by the system, or by the reader's choice in `data-theme` of the page. */
export function useScheme(): Scheme {
  const [scheme, setScheme] = useState(currentScheme);
  useEffect(() => {
    const look = () => setScheme(currentScheme());
    const system = matchMedia('(prefers-color-scheme: dark)');
    const choice = new MutationObserver(look);
    system.addEventListener('change', look);
    choice.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      system.removeEventListener('change', look);
      choice.disconnect();
    };
  }, []);
  return scheme;
}
