// Kernels are named by what tells them apart: no two rows of a list look alike; the exact names are there by a switch.
import assert from 'node:assert/strict';
import { openTab, test, withPage } from './_page.mjs';
import { reportOf, synth } from './_program.mjs';

const report = reportOf(synth());
const { kernels } = report.document.profiles[0].summary;

const differ = (names) => assert.deepEqual(names, [...new Set(names)]);

for (const width of [1440, 400]) {
  test(`the lists of kernels, ${width} pixels`, () =>
    withPage(report, { width }, async (page) => {
      const top = page.locator('.top-names').first().locator('td.name');
      const shown = await top.allInnerTexts();
      assert.ok(shown.length > 3);
      differ(shown);
      assert.ok(!shown.some((name) => /^void /.test(name)), String(shown));
      await openTab(page, 'Kernels');
      differ(await page.locator('#part-kernels .sonde-bars tbody th').allInnerTexts());
    }));
}

test('the switch shows exact names', () =>
  withPage(report, { hash: '#kernels' }, async (page) => {
    const names = page.locator('#part-kernels [role=grid] td.text bdi');
    await names.first().waitFor();
    const template = kernels.find(({ name }) => name.startsWith('void '));
    assert.ok(template, 'a kernel with template arguments');
    const starts = async () => (await names.allInnerTexts()).filter((name) => name.startsWith('void ')).length;
    assert.equal(await starts(), 0);
    await page.getByLabel('Exact names').check();
    assert.ok((await starts()) > 0);
  }));
