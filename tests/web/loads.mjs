// A report opens offline without an error, and every part that it has opens.
import assert from 'node:assert/strict';
import { enabledTabs, kTabs, openTab, tab, test, visibleText, withPage } from './_page.mjs';
import { reportOf, synth } from './_program.mjs';

const report = reportOf(synth('--plant', 'gap', '--plant', 'pageable'), '--title', 'Reading test');

for (const colorScheme of ['light', 'dark']) {
  for (const width of [1440, 760]) {
    test(`${colorScheme}, ${width} pixels`, () =>
      withPage(report, { colorScheme, width }, async (page) => {
        assert.match(await page.title(), /Reading test/);
        assert.match(await page.getByRole('heading', { level: 1 }).innerText(), /Reading test/);
        assert.deepEqual(await enabledTabs(page), kTabs);
        for (const name of kTabs) {
          await openTab(page, name);
          assert.ok((await visibleText(page)).length > 200, `${name} shows nothing`);
          const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
          assert.ok(wide <= 0, `${name} is ${wide} pixels wider than the window`);
        }
      }));
  }
}

test('an address with a part opens it, and the back button returns', () =>
  withPage(report, { hash: '#kernels' }, async (page) => {
    await page.locator('#tab-kernels[aria-selected=true]').waitFor();
    await tab(page, 'Copies').click();
    await page.locator('#tab-copies[aria-selected=true]').waitFor();
    await page.goBack();
    await page.locator('#tab-kernels[aria-selected=true]').waitFor();
  }));

test('an address that means nothing opens the overview', () =>
  withPage(report, { hash: '#%E0%A4%A/no-such-part' }, (page) =>
    page.locator('#tab-overview[aria-selected=true]').waitFor(),
  ));

test('what was not recorded has no part that opens, and says why', async () => {
  const trace = reportOf(synth('--iterations', 1, '--layers', 1), '--filter-time', '0/1');
  await withPage(trace, {}, async (page) => {
    const kernels = tab(page, 'Kernels');
    assert.equal(await kernels.getAttribute('aria-disabled'), 'true');
    assert.match(await kernels.getAttribute('title'), /no kernels were recorded/);
  });
});
