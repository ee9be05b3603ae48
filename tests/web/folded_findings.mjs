// Findings that a reader can do little about are folded: one line names them, and a click shows them.
import assert from 'node:assert/strict';
import { test, withPage } from './_page.mjs';
import { reportOf, synth } from './_program.mjs';

const report = reportOf(synth('--plant', 'low_occupancy', '--plant', 'dominant_kernel'));
const { findings } = report.document.profiles[0].diagnosis;
const folded = findings.filter((finding) => finding.folded);
const others = findings.filter((finding) => !finding.folded);

test('there are findings of both kinds', () => {
  assert.ok(folded.length > 0 && others.length > 0, JSON.stringify(findings.map(({ id, folded }) => ({ id, folded }))));
});

test('a line names the folded findings, and shows them when it is clicked', () =>
  withPage(report, {}, async (page) => {
    const fold = page.locator('details.folded-findings');
    const shown = (within) => within.locator('.finding-list > li:visible').count();
    assert.equal(await shown(page), others.length);
    const line = await fold.locator('summary').innerText();
    for (const { id } of folded) assert.ok(line.includes(id), `${id} is not in: ${line}`);
    await fold.locator('summary').click();
    assert.equal(await shown(fold), folded.length);
    assert.equal(await shown(page), findings.length);
  }));

test('a print shows them', () =>
  withPage(report, {}, async (page) => {
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.locator('details.folded-findings .finding-list > li:visible').count(), folded.length);
  }));
