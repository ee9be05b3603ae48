// The page that the gate writes: it opens on the verdict, shows everything in the document, and handles hostile names.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { tab, test, withPage } from './_page.mjs';
import { folder, readReport, reportOf, synth } from './_program.mjs';

const dumped = spawnSync(join(process.env.TEST_TOOLS, 'dump_decision'), [folder], { encoding: 'utf8' });
assert.equal(dumped.status, 0, dumped.stderr);
const pageOf = (name) => readReport(join(folder, `${name}.html`));
const usual = pageOf('usual');
const gate = usual.json(usual.document.gate.id);

/** As a reader sees it, without the thin blanks of amounts. */
const textOf = async (page) => (await page.locator('.gate').innerText()).replaceAll('\u202f', ' ');

for (const colorScheme of ['light', 'dark']) {
  test(`the page opens on the verdict, ${colorScheme}`, () =>
    withPage(usual, { colorScheme }, async (page) => {
      await page.locator('.gate').waitFor();
      assert.equal(await tab(page, 'Verdict').getAttribute('aria-selected'), 'true');
      const text = await textOf(page);
      assert.ok(text.startsWith(`fail ${gate.verdict.says}`), text);
      const said = [...gate.checks, ...gate.difference.causes, ...gate.kernel_reports];
      for (const { says, outcome } of said) {
        if (outcome !== 'pass') assert.ok(text.includes(says), `${says} is not in: ${text}`);
      }
      for (const note of gate.notes) assert.ok(text.includes(note), note);
      assert.ok(text.includes('+18.0 %') && text.includes('+15.0 to +21.0 %') && text.includes('0.004'), text);
    }));
}

test('checks that pass are folded, and open by a click', () =>
  withPage(usual, {}, async (page) => {
    const passing = gate.checks.find(({ outcome }) => outcome === 'pass').says;
    assert.ok(!(await textOf(page)).includes(passing));
    await page.getByText('1 check passes').click();
    assert.ok((await textOf(page)).includes(passing));
  }));

test('where all pass nothing is folded', () =>
  withPage(pageOf('passing'), {}, async (page) => {
    assert.ok((await textOf(page)).includes('within the limit (at most 200 ms).'));
  }));

for (const name of ['hostile', 'large', 'empty']) {
  test(`${name}: the page is as wide as the window and runs nothing of a name`, () =>
    withPage(pageOf(name), { width: 760 }, async (page) => {
      await page.locator('.gate').waitFor();
      const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} pixels wider than the window`);
      assert.equal(await page.locator('.gate script, .gate img, .gate b').count(), 0);
    }));
}

test('a report has no verdict', () =>
  withPage(reportOf(synth()), {}, async (page) => {
    assert.equal(await tab(page, 'Verdict').count(), 0);
    assert.equal(await tab(page, 'Overview').getAttribute('aria-selected'), 'true');
  }));
