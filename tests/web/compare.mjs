// Two profiles of one program side by side: what is gone and new, and both timelines.
import assert from 'node:assert/strict';
import { enabledTabs, openTab, test, visibleText, withPage } from './_page.mjs';
import { asked, fileName, reportOf, synth } from './_program.mjs';

const slow = synth('--plant', 'gap', '--plant', 'pageable');
const fast = synth('--plant', 'pageable', '--plant', 'sync');
const report = reportOf('--base', slow, '--new', fast);
const idsOf = (profile) => new Set(profile.diagnosis.findings.map((finding) => finding.id));
const [base, changed] = report.document.profiles.map(idsOf);

test('the plants make a difference', () => {
  assert.deepEqual(
    report.document.profiles.map(({ label }) => label),
    ['base', 'new'],
  );
  assert.notDeepEqual([...base].sort(), [...changed].sort());
});

test('the overview says what is gone and what is new', () =>
  withPage(report, {}, async (page) => {
    const text = await visibleText(page);
    assert.match(text, /\bgone\b/i);
    assert.match(text, /\bnew\b/i);
    for (const id of [...base].filter((id) => !changed.has(id))) assert.ok(text.includes(id), `${id} is gone`);
    for (const id of [...changed].filter((id) => !base.has(id))) assert.ok(text.includes(id), `${id} is new`);
  }));

test('every part opens', () =>
  withPage(report, { width: 760 }, async (page) => {
    for (const name of await enabledTabs(page)) {
      await openTab(page, name);
      const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${name} is ${wide} pixels wider than the window`);
    }
  }));

test('the same profile twice has nothing gone and nothing new', () =>
  withPage(reportOf('--base', slow, '--new', slow), {}, async (page) => {
    const text = await visibleText(page);
    assert.doesNotMatch(text, /\b(Gone|New)\s*\n/);
  }));

test('one profile alone is no comparison', () => {
  const { status, said } = asked('report', '--base', slow, '-o', fileName('.html'));
  assert.notEqual(status, 0);
  assert.match(said, /--new/);
});
