// Opens the live page of a service. Errors, warnings and requests to other hosts fail the test.
import assert from 'node:assert/strict';
import { browser, frames, until } from './_page.mjs';

/** Runs before any script of the page: stores copied text, and flags that injected scripts would set. */
function watchPage() {
  window.copied = [];
  Object.defineProperty(navigator, 'clipboard', {
    value: { writeText: async (text) => void window.copied.push(text) },
  });
}

function complaintsOf(page, url, expected) {
  const complaints = [];
  const complain = (text) => {
    if (!expected.some((pattern) => pattern.test(text))) complaints.push(text);
  };
  page.on('console', (message) => {
    // What the browser itself advises on forms is no complaint of the page.
    if (message.type() !== 'verbose' && message.type() !== 'debug')
      complain(`console ${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complain(`error: ${error.stack ?? error}`));
  page.on('dialog', (dialog) => {
    complain(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) complain(`request: ${request.url()}`);
  });
  page.on('crash', () => complain('the page crashed'));
  return complaints;
}

/**
 * Opens the page at `url`, runs body(page), and fails on any console message, error, dialog or request to another host
 * that `expected` (patterns) does not name. Options: hash, width, height, colorScheme, expected, context.
 */
export async function withLivePage(url, options, body) {
  const { hash = '', width = 1440, height = 900, colorScheme = 'light', expected = [] } = options;
  const context = options.context ?? (await (await browser()).newContext({ viewport: { width, height }, colorScheme }));
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    await page.addInitScript(watchPage);
    const complaints = complaintsOf(page, url, expected);
    try {
      await page.goto(url + hash);
      await body(page);
      await frames(page);
    } catch (error) {
      if (complaints.length > 0) error.message = `${complaints.join('\n')}\n${error.message}`;
      throw error;
    }
    assert.deepEqual(complaints, []);
    await page.close();
  } finally {
    if (!options.context) await context.close();
  }
}

/** The parts of the page; some have parts of their own. */
export const parts = (page) => page.getByRole('navigation', { name: 'Sections of the page' });

export const keyField = (page) => page.locator('input[name=sonde-key]');

/** Signs in by keyboard, and waits for the GPUs. */
export async function signIn(page, key) {
  await keyField(page).fill(key);
  await page.keyboard.press('Enter');
  await parts(page).waitFor();
}

/** Nothing that is shown is still asked for. */
async function allLoaded(page) {
  await until(page, () => document.querySelector('.waiting') === null);
  await frames(page);
}

/** Opens a part of the page by its link. */
export async function openPart(page, name) {
  await parts(page).getByRole('link', { name }).click();
  await allLoaded(page);
}

/** Goes to an address of the page, and waits until what its heading names is there. */
export async function openPlace(page, hash, heading) {
  await page.evaluate((to) => void (location.hash = to), hash);
  await page.locator('main h2').filter({ hasText: heading }).waitFor();
  await allLoaded(page);
}

/** Elements that the page's own markup never has; those of a name would be here. */
export const intruders = (page) =>
  page.evaluate(() => ({
    hit: window.hit ?? null,
    elements: document.querySelectorAll('img,iframe,object,embed,b,base,marquee,meta[http-equiv=refresh]').length,
    scripts: document.scripts.length,
    changed: Object.keys(Object.prototype).length,
  }));
export const kNoIntruders = { hit: null, elements: 0, scripts: 1, changed: 0 };

/** By how many pixels the page is wider than the window. */
export const excess = (page) => page.evaluate(() => Math.max(0, document.scrollingElement.scrollWidth - innerWidth));
