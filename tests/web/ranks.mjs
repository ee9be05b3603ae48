// Several ranks are shown one above the other.
import assert from 'node:assert/strict';
import { enabledTabs, openTab, test, timelineReady, view, withPage } from './_page.mjs';
import { reportOf, synth } from './_program.mjs';

/** Two files of one program are two ranks. */
const report = reportOf(synth('--program', 'training'), synth('--program', 'training', '--plant', 'gap'));
const [{ timeline }] = report.document.profiles;

test('tracks belong to both ranks', () => {
  assert.equal(timeline.ranks.length, 2);
  assert.deepEqual([...new Set(timeline.tracks.map((track) => track.rank))].sort(), [0, 1]);
});

test('every part opens', () =>
  withPage(report, {}, async (page) => {
    for (const name of await enabledTabs(page)) await openTab(page, name);
  }));

test('the timeline shows both and can align them by step', () =>
  withPage(report, { hash: '#timeline' }, async (page) => {
    await timelineReady(page);
    const before = await view(page);
    assert.ok(before.end >= report.document.profiles[0].span_ns);
    const align = page.locator('.sonde-timeline').getByLabel(/align/i).first();
    await align.waitFor();
  }));
