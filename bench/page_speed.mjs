// Measures a report in headless Chromium: node page_speed.mjs open|pan REPORT.html prints one JSON line.
//   open  ms from the navigation to the first contentful paint and to the timeline's readiness, opened at #timeline
//   pan   frames per second and the longest frame in ms while the timeline moves, at three zoom levels
import { pathToFileURL } from 'node:url';
import { chromium } from '../web/node_modules/playwright-core/index.mjs';

const [what, path] = process.argv.slice(2);
const kZoomsIn = [2, 8, 16];
const kPanMs = 1500;

const browser = await chromium.launch({
  executablePath: process.env.SONDE_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
});
const page = await (await browser.newContext({ offline: true, viewport: { width: 1440, height: 900 } })).newPage();
page.on('pageerror', (error) => {
  console.error(`the page fails: ${error.stack}`);
  process.exit(1);
});

/** Notes when the timeline is ready, from within the page. */
await page.addInitScript(() => {
  const look = () => {
    if (document.querySelector('.sonde-timeline[data-ready="true"]')) window.readyAt = performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});
await page.goto(`${pathToFileURL(path).href}#timeline`);
await page.waitForFunction(() => window.readyAt !== undefined, undefined, { timeout: 120_000 });

async function opened() {
  return page.evaluate(() => ({
    first_paint_ms: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    ready_ms: window.readyAt,
  }));
}

const viewLength = () =>
  page.locator('.sonde-timeline').evaluate(({ dataset }) => Number(dataset.visibleEnd) - Number(dataset.visibleStart));

const viewStart = () => page.locator('.sonde-timeline').evaluate(({ dataset }) => Number(dataset.visibleStart));

/** Holds a key and counts frames. */
async function framesWhile(key) {
  const counted = page.evaluate(
    (ms) =>
      new Promise((done) => {
        const times = [performance.now()];
        const note = (now) => {
          times.push(now);
          if (now - times[0] < ms) requestAnimationFrame(note);
          else done(times);
        };
        requestAnimationFrame(note);
      }),
    kPanMs,
  );
  const before = await viewStart();
  await page.keyboard.down(key);
  const times = await counted;
  await page.keyboard.up(key);
  if ((await viewStart()) === before) throw new Error(`the timeline does not move while ${key} is held`);
  return times.slice(1).map((time, i) => time - times[i]);
}

async function panned() {
  await page.locator('.sonde-timeline [role=application]').focus();
  const levels = [];
  let zoomed = 0;
  for (const zooms of kZoomsIn) {
    for (; zoomed < zooms; ++zoomed) {
      await page.keyboard.press('w');
      await page.waitForTimeout(250);
    }
    const deltas = [...(await framesWhile('d')), ...(await framesWhile('a'))];
    const seconds = deltas.reduce((sum, delta) => sum + delta, 0) / 1000;
    levels.push({
      view_ns: await viewLength(),
      frames_per_s: deltas.length / seconds,
      longest_ms: Math.max(...deltas),
    });
  }
  return { levels };
}

console.log(JSON.stringify(what === 'pan' ? await panned() : await opened()));
await browser.close();
