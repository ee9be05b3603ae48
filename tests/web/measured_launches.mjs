// The page of a kernel report alone: findings, and each launch with the profiler's advice and the tables of its counters.
import assert from 'node:assert/strict';
import { openTab, test, withPage } from './_page.mjs';
import { inputOf, reportOf } from './_program.mjs';

const report = reportOf(inputOf('report/json_kernel_report', 'kernels.ncu-rep'));
const { launches } = report.json(report.document.profiles[0].sections.launches.id);

for (const [colorScheme, width] of [
  ['light', 1440],
  ['dark', 400],
]) {
  test(`every launch can be looked at, ${colorScheme}, ${width} pixels`, () =>
    withPage(report, { colorScheme, width }, async (page) => {
      await page.getByRole('heading', { name: /Findings/ }).waitFor();
      await openTab(page, 'Kernels');
      const choice = page
        .locator('#part-kernels label')
        .filter({ hasText: /^Launch/ })
        .locator('select');
      assert.equal(await choice.locator('option').count(), launches.length);
      for (const [i, launch] of launches.entries()) {
        await choice.selectOption(String(i));
        const text = await page.locator('#part-kernels').innerText();
        for (const { title } of launch.views) assert.ok(text.includes(title), `${launch.kernel}: no ${title}`);
        for (const { says } of launch.advice) assert.ok(text.includes(says.slice(0, 30)), says);
      }
      const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} pixels wider than the window`);
    }));
}
