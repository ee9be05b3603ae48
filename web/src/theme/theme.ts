/** What the reader chose to see the page in; `system` follows the system. */
export type ThemeChoice = 'system' | 'light' | 'dark';

const kKey = 'sonde.theme';

/** A page from a disk may have no storage, or must not use it. */
export function storedTheme(): ThemeChoice {
  try {
    const stored = localStorage.getItem(kKey);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    return 'system';
  }
}

export function applyTheme(choice: ThemeChoice): void {
  if (choice === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = choice;
}

export function chooseTheme(choice: ThemeChoice): void {
  applyTheme(choice);
  try {
    localStorage.setItem(kKey, choice);
  } catch {
    // It holds until the page is closed.
  }
}
