/** The reader's key: for the tab, or for as long as this computer keeps it. */

const kKey = 'sonde.key';

/** Storage may be forbidden; the key then holds until the page is left. */
function each(storages: readonly (() => Storage)[], use: (storage: Storage) => void): void {
  for (const storage of storages) {
    try {
      use(storage());
    } catch {
      // Not there.
    }
  }
}

const session = (): Storage => sessionStorage;
const local = (): Storage => localStorage;

export function storedKey(): string | null {
  let found: string | null = null;
  each([session, local], (storage) => {
    found ??= storage.getItem(kKey);
  });
  return found;
}

export function storeKey(key: string, remember: boolean): void {
  forgetKey();
  each([remember ? local : session], (storage) => storage.setItem(kKey, key));
}

export function forgetKey(): void {
  each([session, local], (storage) => storage.removeItem(kKey));
}

/** What an HTTP header can hold and no key is without. */
export const mayBeKey = (text: string): boolean => /^[A-Za-z0-9_.~+/=-]+$/.test(text);
