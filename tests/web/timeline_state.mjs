// The address holds what the timeline shows; the legend names its colors; what a search finds is listed.
import assert from 'node:assert/strict';
import {
  focusTracks,
  searchFor,
  selected,
  settledView,
  test,
  timeline,
  timelineReady,
  until,
  view,
  withPage,
} from './_page.mjs';
import { reportOf, synth } from './_program.mjs';

const report = reportOf(synth());

test('a reload keeps view, rows and selection', () =>
  withPage(report, { hash: '#timeline' }, async (page) => {
    await timelineReady(page);
    const heading = timeline(page).locator('.tl-heading').last();
    const open = (await heading.getAttribute('aria-expanded')) === 'true';
    await heading.click();
    await searchFor(page, 'flash_fwd');
    await page.keyboard.press('Enter');
    await focusTracks(page);
    for (let i = 0; i < 3; ++i) await page.keyboard.press('w');
    const before = { view: await settledView(page), name: await selected(page) };
    assert.match(before.name, /flash_fwd/);
    await until(page, () => /^#timeline\/view-.*\/rows-.*\/slice-/.test(location.hash));
    await page.reload();
    await timelineReady(page);
    await until(page, () => /flash_fwd/.test(document.querySelector('.sonde-timeline').dataset.selected));
    const after = await view(page);
    assert.ok(Math.abs(after.start - before.view.start) <= 1 && Math.abs(after.end - before.view.end) <= 1);
    assert.equal(await selected(page), before.name);
    const now = await timeline(page).locator('.tl-heading').last().getAttribute('aria-expanded');
    assert.equal(now === 'true', !open);
  }));

test('an address that the report has nothing for shows the whole run', () =>
  withPage(report, { hash: '#timeline/view-9-3/rows-999999/slice-7-9-9' }, async (page) => {
    await timelineReady(page);
    const shown = await view(page);
    assert.ok(shown.start <= 0 && shown.end >= report.document.profiles[0].span_ns);
  }));

for (const [colorScheme, width] of [
  ['light', 1440],
  ['dark', 400],
]) {
  test(`the legend names the colors, ${colorScheme}, ${width} pixels`, () =>
    withPage(report, { hash: '#timeline', colorScheme, width }, async (page) => {
      await timelineReady(page);
      const button = page.getByRole('button', { name: 'Legend' });
      if ((await button.getAttribute('aria-pressed')) === 'false') await button.click();
      const text = await page.getByRole('note', { name: 'Legend' }).innerText();
      for (const what of ['matrix product', 'launch call', 'GPU idle', 'a step begins', 'range'])
        assert.ok(text.includes(what), `${what} is not in: ${text}`);
      await button.click();
      assert.equal(await page.getByRole('note', { name: 'Legend' }).count(), 0);
      const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} pixels wider than the window`);
    }));
}

test('what was found is listed in the order of time, and a click goes there', () =>
  withPage(report, { hash: '#timeline' }, async (page) => {
    await timelineReady(page);
    await searchFor(page, 'flash_fwd');
    await page.getByRole('button', { name: 'List' }).click();
    const list = page.getByRole('region', { name: 'Search results' });
    const buttons = list.getByRole('button');
    assert.ok((await buttons.count()) > 2);
    await buttons.nth(1).click();
    const second = await selected(page);
    assert.match(second, /flash_fwd/);
    await settledView(page);
    await searchFor(page, 'no such kernel');
    await list.waitFor({ state: 'detached' });
  }));
