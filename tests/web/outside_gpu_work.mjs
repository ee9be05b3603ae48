// Time before the first and after the last GPU work is named beside the GPUs' share of the time between; ranges that a loop
// does not pop are a finding.
import assert from 'node:assert/strict';
import { test, withPage } from './_page.mjs';
import { inputOf, reportOf, sonde, synth } from './_program.mjs';

const profile = inputOf('why/leaked_ranges', 'leaked.sqlite');
const report = reportOf(profile);
const figure = (page) => page.locator('.figure', { hasText: 'Outside GPU work' });

test('the overview says how much of the run lies outside the GPU work, as the summary does', async () => {
  const { total_ns, set_up_ns, after_ns } = JSON.parse(sonde('summary', '--json', profile));
  const percent = ((100 * (set_up_ns + after_ns)) / total_ns).toFixed(1);
  for (const width of [400, 1440]) {
    for (const colorScheme of ['light', 'dark']) {
      await withPage(report, { width, colorScheme }, async (page) => {
        assert.match(await figure(page).innerText(), new RegExp(`${percent}\\s%`));
        assert.match(await figure(page).innerText(), /4\.00\ss before the first, 500\sms after the last/);
        const overflow = await page.evaluate(() => document.body.scrollWidth - innerWidth);
        assert.ok(overflow <= 0, `${overflow} px too wide at ${width}`);
      });
    }
  }
});

test('a run that is GPU work throughout has no such figure', () =>
  withPage(reportOf(synth()), {}, async (page) => assert.equal(await figure(page).count(), 0)));

test('ranges that are not popped are a finding', () =>
  withPage(report, {}, async (page) => {
    const card = page.locator('.finding-list > li', { hasText: 'leaked_ranges' });
    const text = await card.innerText();
    assert.match(text, /10 of them lie in one another \(.iteration11. in .iteration10.\)/);
    assert.match(text, /range_pop/);
  }));
