// The timeline's search finds as many events as the statistics count, and scrolls to them.
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
  withPage,
} from './_page.mjs';
import { reportOf, stats, synth } from './_program.mjs';

const profile = synth();
const report = reportOf(profile);
const lengthOf = (view) => view.end - view.start;

/** Events of this name by the statistics. No range, call or OS call has such a name. */
function kernelsNamed(test) {
  const rows = stats('cuda_gpu_kern_sum', profile).filter((row) => test(row.Name));
  assert.ok(rows.length > 0);
  return { names: rows.length, events: rows.reduce((sum, row) => sum + Number(row.Instances), 0) };
}

const queries = [
  ['warpgroupsize', (name) => name.includes('warpgroupsize')],
  ['FLASH_FWD', (name) => name.includes('flash_fwd')],
  ['/^sm90_.*tilesize256x/', (name) => /^sm90_.*tilesize256x/.test(name)],
];

for (const [query, matches] of queries) {
  test(query, () =>
    withPage(report, { hash: '#timeline' }, async (page) => {
      await timelineReady(page);
      const wanted = kernelsNamed(matches);
      assert.deepEqual(await searchFor(page, query), wanted);
    }),
  );
}

test('Enter goes to the next one, Shift+Enter back', () =>
  withPage(report, { hash: '#timeline' }, async (page) => {
    await timelineReady(page);
    await focusTracks(page);
    for (let i = 0; i < 6; ++i) await page.keyboard.press('w');
    await settledView(page);
    await searchFor(page, 'flash_fwd');
    const seen = [];
    for (let i = 0; i < 3; ++i) {
      await page.keyboard.press('Enter');
      const view = await settledView(page);
      assert.match(await selected(page), /flash_fwd/);
      assert.ok(lengthOf(view) < report.document.profiles[0].span_ns);
      seen.push(view.start);
    }
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Shift+Enter');
    assert.equal((await settledView(page)).start, seen[0], 'back at the first');
  }));

test('Enter right after typing goes there', () =>
  withPage(report, { hash: '#timeline' }, async (page) => {
    await timelineReady(page);
    await timeline(page).getByRole('searchbox').focus();
    await page.keyboard.type('flash_fwd');
    await page.keyboard.press('Enter');
    await until(page, () => /flash_fwd/.test(document.querySelector('.sonde-timeline').dataset.selected));
  }));

test('what is not there is not found, and what cannot be read is said', () =>
  withPage(report, { hash: '#timeline' }, async (page) => {
    await timelineReady(page);
    assert.deepEqual(await searchFor(page, 'no such kernel'), { names: 0, events: 0 });
    await page.getByRole('searchbox').first().fill('/(/');
    await page
      .getByRole('status')
      .filter({ hasText: /expression/i })
      .waitFor();
  }));
