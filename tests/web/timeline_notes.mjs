// Notes on times of the run: written, listed, drawn, and in a saved copy of the page, which is a sound page itself.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import {
  focusTracks,
  frames,
  openTab,
  searchFor,
  settledView,
  test,
  timeline,
  timelineReady,
  view,
  withPage,
} from './_page.mjs';
import { fileName, readReport, reportOf, synth } from './_program.mjs';

const report = reportOf(synth());
const kText = 'slow </script><b>here</b> "é" \u2028 <!--';

const panel = (page) => page.getByRole('region', { name: 'Notes' });
const field = (page) => panel(page).getByLabel('New note');
const texts = (page) =>
  panel(page)
    .getByLabel(/^Note \d+$/)
    .evaluateAll((inputs) => inputs.map((input) => input.value));
const pixels = (page, canvas) => timeline(page).locator(canvas).screenshot();

/** Writes a note on the middle of the view, by key. */
async function write(page, text) {
  await focusTracks(page);
  await page.keyboard.press('n');
  await field(page).fill(text);
  await page.keyboard.press('Enter');
}

async function savedCopy(page) {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    panel(page).getByRole('button', { name: 'Save a copy with notes' }).click(),
  ]);
  assert.match(download.suggestedFilename(), /_notes\.html$/);
  const path = fileName('.html');
  writeFileSync(path, readFileSync(await download.path()));
  return path;
}

for (const [width, colorScheme] of [
  [1440, 'light'],
  [400, 'dark'],
])
  test(`a note is written, listed, drawn, and in a saved copy: ${width} px, ${colorScheme}`, async () => {
    let copy;
    await withPage(report, { hash: '#timeline', width, colorScheme }, async (page) => {
      await timelineReady(page);
      await focusTracks(page);
      await page.keyboard.press('n');
      await frames(page);
      const [tracks, axis] = [await pixels(page, 'canvas.tl-tracks'), await pixels(page, 'canvas.tl-axis')];
      await write(page, kText);
      await frames(page);
      assert.deepEqual(await texts(page), [kText]);
      assert.ok(!axis.equals(await pixels(page, 'canvas.tl-axis')), 'no flag on the axis');
      assert.ok(!tracks.equals(await pixels(page, 'canvas.tl-tracks')), 'no line over the tracks');
      await panel(page).getByText('1 note, not saved').waitFor();
      const overflow = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
      copy = await savedCopy(page);
      await panel(page).getByText('not saved').waitFor({ state: 'detached' });
    });
    const { document } = readReport(copy);
    assert.deepEqual(document, report.document);
    await withPage({ path: copy }, { width, colorScheme }, async (page) => {
      await openTab(page, 'Timeline');
      assert.deepEqual(await texts(page), [kText]);
      await openTab(page, 'Kernels');
      // A copy of a copy has them once.
      await openTab(page, 'Timeline');
      await write(page, 'second');
      const again = readFileSync(await savedCopy(page), 'utf8');
      assert.equal(again.match(/id="sonde-notes"/g).length, 1);
    });
  });

test('a note on a selection has its time, is edited and removed, and leads back', () =>
  withPage(report, { hash: '#timeline' }, async (page) => {
    await timelineReady(page);
    await searchFor(page, 'flash_fwd');
    await page.keyboard.press('Enter');
    await settledView(page);
    await write(page, 'attention');
    const button = panel(page).getByTitle('Show on the timeline');
    assert.match(await button.innerText(), /long$/);
    await panel(page).getByRole('textbox', { name: 'Note 1' }).fill('flash attention');
    await page.keyboard.press('Tab');
    assert.deepEqual(await texts(page), ['flash attention']);
    await focusTracks(page);
    await page.keyboard.press('0');
    const whole = await settledView(page);
    await button.click();
    await settledView(page);
    const now = await view(page);
    assert.ok(now.end - now.start < (whole.end - whole.start) / 2);
    await panel(page).getByRole('button', { name: 'Remove note 1' }).click();
    assert.deepEqual(await texts(page), []);
  }));
