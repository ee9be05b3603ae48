// Measures how smoothly a sample pans, in headless Chromium without a GPU: node test/pan_frames.mjs SAMPLE.html [DPR].
// Opens all headings below the first closed one, then pans to and fro for three seconds at several zoom levels.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [file, ratio = '1'] = process.argv.slice(2);
const kLevels = 8;
const kSeconds = 3;

function pan(milliseconds) {
  return new Promise((done) => {
    const canvas = document.querySelector('.tl-tracks');
    const begin = performance.now();
    const times = [];
    let last = begin;
    const frame = () => {
      const now = performance.now();
      times.push(now - last);
      last = now;
      if (now - begin > milliseconds) {
        times.sort((a, b) => a - b);
        const p95 = times[Math.floor(0.95 * times.length)];
        return done({ fps: (1000 * times.length) / (now - begin), p95, worst: times.at(-1) });
      }
      const deltaX = Math.floor((now - begin) / 1000) % 2 ? -40 : 40;
      canvas.dispatchEvent(new WheelEvent('wheel', { deltaX, bubbles: true, cancelable: true }));
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--headless=new', '--disable-background-networking'],
});
const size = { viewport: { width: 1600, height: 900 }, deviceScaleFactor: Number(ratio) };
const page = await browser.newPage(size);
page.on('pageerror', (error) => console.error(error));
await page.goto(pathToFileURL(resolve(file)).href);
await page.waitForSelector('.sonde-timeline[data-ready=true]');
const closed = page.locator('.tl-heading[aria-expanded=false]');
if (await closed.count()) await closed.first().click();
await page.evaluate(() => document.querySelector('.tl-scroller').scrollTo({ top: 1e6 }));
await page.waitForTimeout(500);
await page.waitForSelector('.sonde-timeline[data-ready=true]');
await page.waitForTimeout(3000);
await page.mouse.move(700, 300);
for (let level = 0; level < kLevels; ++level) {
  await page.keyboard.press('0');
  await page.waitForTimeout(300);
  for (let i = 0; i < 5 * level; ++i) {
    await page.keyboard.press('w');
    await page.waitForTimeout(160);
  }
  const { visibleStart, visibleEnd } = await page.evaluate(() => ({
    ...document.querySelector('.sonde-timeline').dataset,
  }));
  const { fps, p95, worst } = await page.evaluate(pan, 1000 * kSeconds);
  const visible = ((visibleEnd - visibleStart) / 1e6).toFixed(3).padStart(10);
  console.log(
    `${visible} ms in view: ${fps.toFixed(1)} frames/s, 95 % within ${p95.toFixed(0)} ms, worst ${worst.toFixed(0)} ms`,
  );
}
await browser.close();
