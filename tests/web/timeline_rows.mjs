// Rows of the timeline: on top, hidden, in another order, by pointer and by key; the address keeps it.
import assert from 'node:assert/strict';
import { focusTracks, openTab, searchFor, test, timeline, timelineReady, until, withPage } from './_page.mjs';
import { reportOf, stats, synth } from './_program.mjs';

const profile = synth();
const report = reportOf(profile);

/** Those on top: of labels far below the screen there are more or fewer. */
const labels = async (page) => {
  const all = await timeline(page).locator('.tl-label').allInnerTexts();
  return all.slice(0, 8).map((label) => label.trim());
};
const panel = (page) => page.getByRole('region', { name: 'Rows' });
const openRows = async (page) => {
  await timelineReady(page);
  await page.getByRole('button', { name: 'Rows' }).click();
};
const firstStream = (page) =>
  panel(page)
    .locator('.tl-row', { hasText: /^ ?Stream/ })
    .first();

for (const [width, colorScheme] of [
  [1440, 'light'],
  [400, 'dark'],
])
  test(`a row is pinned, hidden and moved, and a reload keeps that: ${width} px, ${colorScheme}`, () =>
    withPage(report, { hash: '#timeline', width, colorScheme }, async (page) => {
      await openRows(page);
      const recorded = await labels(page);
      await firstStream(page).getByRole('button', { name: /^Pin/ }).click();
      assert.match((await labels(page))[0], /Pinned/);
      assert.match((await labels(page))[1], /Stream/);
      const idle = panel(page).locator('.tl-row', { hasText: /idle/i }).first();
      await idle.getByRole('checkbox').uncheck();
      await panel(page).getByText('1 row hidden').waitFor();
      const groups = panel(page).locator(':scope > ul > li > .tl-row');
      if ((await groups.count()) > 1) await groups.nth(0).getByRole('button', { name: /down$/ }).click();
      const arranged = await labels(page);
      assert.notDeepEqual(arranged, recorded);
      await until(page, () => /\/pin-\d+\/hide-\d+/.test(location.hash));
      await page.reload();
      await timelineReady(page);
      await until(page, () => /Pinned/.test(document.querySelector('.tl-label')?.textContent ?? ''));
      assert.deepEqual(await labels(page), arranged);
      const overflow = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
      await page.getByRole('button', { name: 'Rows' }).click();
      await page.getByRole('button', { name: 'Show all as recorded' }).click();
      assert.deepEqual(await labels(page), recorded);
    }));

test('keys act on the row of the selection', () =>
  withPage(report, { hash: '#timeline' }, async (page) => {
    await timelineReady(page);
    await searchFor(page, 'flash_fwd');
    await page.keyboard.press('Enter');
    await focusTracks(page);
    await page.keyboard.press('p');
    assert.match((await labels(page))[0], /Pinned/);
    await page.keyboard.press('h');
    assert.doesNotMatch((await labels(page))[0], /Pinned/);
    await openRows(page);
    await panel(page).getByText('1 row hidden').waitFor();
    // A search leads to what is hidden, too.
    await searchFor(page, 'flash_fwd');
    await page.keyboard.press('Enter');
    await panel(page).getByText('1 row hidden').waitFor({ state: 'detached' });
  }));

test('what is hidden is in no sum of a selection', () =>
  withPage(report, { hash: '#timeline' }, async (page) => {
    await openRows(page);
    const kernels = stats('cuda_gpu_kern_sum', profile).reduce((sum, row) => sum + Number(row.Instances), 0);
    await focusTracks(page);
    await page.keyboard.press('Control+a');
    const text = () => timeline(page).locator('.tl-panel').innerText();
    assert.ok(kernels > 0);
    const all = await timeline(page).locator('.tl-live').innerText();
    await firstStream(page).getByRole('checkbox').uncheck();
    await focusTracks(page);
    await page.keyboard.press('Control+a');
    const fewer = await timeline(page).locator('.tl-live').innerText();
    const tracks = (said) => Number(/of (\d+) tracks?/.exec(said)[1]);
    assert.equal(tracks(fewer), tracks(all) - 1, await text());
  }));

test('lines of steps are switched off, and a reload keeps that', () =>
  withPage(report, {}, async (page) => {
    await openTab(page, 'Timeline');
    const button = page.getByRole('button', { name: 'Steps', exact: true });
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    const shot = () => timeline(page).locator('canvas.tl-tracks').screenshot();
    const before = await shot();
    await button.click();
    await until(page, () => /no-steps/.test(location.hash));
    assert.ok(!before.equals(await shot()), 'the lines are still there');
    await page.reload();
    await timelineReady(page);
    await until(page, () => document.querySelector('.tl-show [aria-pressed=false][title^=Lines]') !== null);
  }));
