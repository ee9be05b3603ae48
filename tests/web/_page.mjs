// Opens reports in Debian's Chromium without a network. Every error or warning of the page fails the test.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, test as nodeTest } from 'node:test';
import { pathToFileURL } from 'node:url';

const chromiumPath = process.env.SONDE_CHROMIUM ?? '/usr/bin/chromium';
if (!existsSync(chromiumPath)) {
  console.log(`skipped: there is no ${chromiumPath} to open the page in; SONDE_CHROMIUM can name a browser`);
  process.exit(77);
}
const { chromium } = await import('../../web/node_modules/playwright-core/index.mjs');

export const kArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** ms; a page that is slower than this on a loaded machine is broken, and no test waits for less on purpose. */
const kPatience = 20_000;

/** A test of its own; what the runner would wait for without end fails instead. */
export const test = (name, body) => nodeTest(name, { timeout: 6 * kPatience }, body);

let started;
/** The browser of this test, with a profile folder of its own. */
export const browser = () => (started ??= chromium.launch({ executablePath: chromiumPath, args: kArguments }));
after(async () => (await started)?.close());

/** Before any script of the page: a place for what it copies, and flags that injected scripts would set. */
function watchPage() {
  window.copied = [];
  Object.defineProperty(navigator, 'clipboard', {
    value: { writeText: async (text) => void window.copied.push(text) },
  });
}

/** Everything that a sound page does not do. */
function complaintsOf(page, url) {
  const complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`console ${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.stack ?? error}`));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const asked = request.url();
    if (asked.split('#')[0] !== url && !/^(data|blob):/.test(asked)) complaints.push(`request: ${asked}`);
  });
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url().slice(0, 200)}`));
  page.on('crash', () => complaints.push('the page crashed'));
  return complaints;
}

/**
 * Opens a report ({path} of reportOf), runs body(page), and fails on any error, warning, dialog or request of the page.
 * Options: hash ("#timeline"), width, height, colorScheme.
 */
export async function withPage(report, options, body) {
  const { hash = '', width = 1440, height = 900, colorScheme = 'light' } = options;
  const context = await (await browser()).newContext({ offline: true, viewport: { width, height }, colorScheme });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(kPatience);
    await page.addInitScript(watchPage);
    const url = pathToFileURL(report.path).href;
    const complaints = complaintsOf(page, url);
    await page.goto(url + hash, { timeout: 3 * kPatience }); // a busy machine starts its renderers late
    try {
      await page.getByRole('tab', { name: 'Overview' }).waitFor();
      await body(page);
      await frames(page);
    } catch (error) {
      // What the page said of itself tells most of why it did not do what was asked.
      if (complaints.length > 0) error.message = `${complaints.join('\n')}\n${error.message}`;
      throw error;
    }
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}

/** What was asked of the page is drawn. */
export const frames = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

export const kTabs = ['Overview', 'Timeline', 'Modules', 'Kernels', 'Copies', 'Steps', 'Tables', 'Capture'];

export const tab = (page, name) => page.getByRole('tab', { name, exact: true });

/** Tabs that lead somewhere. */
export async function enabledTabs(page) {
  const names = [];
  for (const name of kTabs) {
    if ((await tab(page, name).getAttribute('aria-disabled')) !== 'true') names.push(name);
  }
  return names;
}

/** Opens a tab, by click, and waits for its part. No part may say that it cannot be shown. */
export async function openTab(page, name) {
  await tab(page, name).click();
  await until(page, (n) => document.querySelector('[role=tab][aria-selected=true]')?.textContent?.trim() === n, name);
  if (name === 'Timeline') await timelineReady(page);
  await page.locator('.waiting').waitFor({ state: 'detached' });
  await frames(page);
  const failed = page.locator('[role=alert]:visible');
  assert.equal(await failed.count(), 0, `${name}: ${(await failed.allTextContents()).join(' ')}`);
}

export const until = (page, condition, argument) => page.waitForFunction(condition, argument);

/** The page's text as a reader sees it. */
export const visibleText = (page) => page.evaluate(() => document.body.innerText);

/** The CSV text that a button copies. */
export async function copiedBy(page, button) {
  const before = await page.evaluate(() => window.copied.length);
  await button.click();
  await until(page, (n) => window.copied.length > n, before);
  return page.evaluate(() => window.copied.at(-1));
}

// ------------------------------------------------------------------------------------------------------- the timeline

export const timeline = (page) => page.locator('.sonde-timeline');

export async function timelineReady(page) {
  await page.locator('.sonde-timeline[data-ready="true"]').waitFor();
}

/** What the timeline shows, in ns from the first event. */
export async function view(page) {
  return timeline(page).evaluate((host) => ({
    start: Number(host.dataset.visibleStart),
    end: Number(host.dataset.visibleEnd),
  }));
}

/** The view once it has stopped to move: two frames alike, and four more. */
export async function settledView(page) {
  for (let last = await view(page), still = 0; ;) {
    await frames(page);
    const now = await view(page);
    still = now.start === last.start && now.end === last.end ? still + 1 : 0;
    if (still === 3) return now;
    last = now;
  }
}

export const selected = (page) => timeline(page).evaluate((host) => host.dataset.selected ?? '');

/** Where the tracks are drawn, without their labels. */
export const tracksBox = (page) => timeline(page).locator('[role=application]').boundingBox();

/** Gives the keys to the timeline, without a click, which would select. */
export const focusTracks = (page) => timeline(page).locator('[role=application]').focus();

/** Selects the whole run on all tracks, by key. */
export async function selectEverything(page) {
  await timelineReady(page);
  await focusTracks(page);
  await page.keyboard.press('Control+a');
}

/** Types into the timeline's search: how many names and events it says that it found. */
export async function searchFor(page, query) {
  await timeline(page).getByRole('searchbox').fill(query);
  const said = timeline(page).getByRole('search').getByRole('status');
  await said.filter({ hasText: /(found|events?)$/ }).waitFor();
  const text = await said.innerText();
  const number = (noun) => Number(new RegExp(`([\\d,]+) ${noun}`).exec(text)?.[1].replaceAll(',', '') ?? 0);
  return { names: number('name'), events: number('event') };
}
