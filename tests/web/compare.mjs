// Two profiles of one program side by side: removed and new items, and both timelines.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { enabledTabs, openTab, selectEverything, test, withPage } from './_page.mjs';
import { asked, fileName, reportOf, synth } from './_program.mjs';
import { copies, kernels, selectionSums } from './_sums.mjs';

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
  assert.ok(kGroups.Gone.length > 0 && kGroups.New.length > 0, JSON.stringify(kGroups));
});

const kGroups = {
  Gone: [...base].filter((id) => !changed.has(id)),
  New: [...changed].filter((id) => !base.has(id)),
  'In both': [...base].filter((id) => changed.has(id)),
};

/** A heading with a number, and the list below it. */
const group = (page, name) => page.getByRole('heading', { name: new RegExp(`^${name}\\s\\d+$`) });
const listBelow = (heading) => heading.locator('xpath=following-sibling::ol[1]');

for (const [name, ids] of Object.entries(kGroups)) {
  test(`the overview says what is ${name.toLowerCase()}`, () =>
    withPage(report, {}, async (page) => {
      const heading = group(page, name);
      assert.equal(await heading.count(), ids.length > 0 ? 1 : 0, ids.join(' '));
      if (ids.length === 0) return;
      assert.ok((await heading.innerText()).endsWith(` ${ids.length}`));
      const text = await listBelow(heading).innerText();
      for (const id of ids) assert.ok(text.includes(id), `${id} is not in: ${text}`);
    }));
}

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
    assert.equal(await group(page, 'In both').count(), 1);
    for (const name of ['Gone', 'New']) assert.equal(await group(page, name).count(), 0, name);
  }));

test('one profile alone is no comparison', () => {
  const { status, said } = asked('report', '--base', slow, '-o', fileName('.html'));
  assert.notEqual(status, 0);
  assert.match(said, /--new/);
});

test('a selection of everything adds up each profile for itself', () =>
  withPage(report, { hash: '#timeline' }, async (page) => {
    await selectEverything(page);
    const of = await selectionSums(page);
    for (const [label, file] of [
      ['base', slow],
      ['new', fast],
    ])
      assert.deepEqual(of('GPU work', label), { ...kernels(file), ...copies(file) }, label);
  }));

test('unlike GPUs are named above the change', async () => {
  const other = synth();
  const changed = spawnSync('sqlite3', [other, "UPDATE TARGET_INFO_GPU SET name = 'NVIDIA A100'"]);
  assert.equal(changed.status, 0);
  await withPage(reportOf('--base', slow, '--new', other), {}, async (page) => {
    const note = page.getByRole('note').filter({ hasText: 'different GPUs' });
    assert.match(await note.innerText(), /H100.*A100/s);
  });
  await withPage(report, {}, async (page) =>
    assert.equal(await page.getByText('The profiles are of different GPUs').count(), 0),
  );
});
