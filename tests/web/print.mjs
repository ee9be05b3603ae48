// The printed page contains all parts in order, with the texts of the findings.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { frames, test, withPage } from './_page.mjs';
import { fileName, reportOf, synth } from './_program.mjs';

const report = reportOf(synth('--plant', 'gap', '--plant', 'pageable'));
const { findings } = report.document.profiles[0].diagnosis;
/** On paper, lines break anywhere, and thin spaces become any space. */
const squeezed = (text) => text.replace(/[\s\u202f\u00ad-]+/g, '');

test('a print has several pages and the findings', () =>
  withPage(report, { colorScheme: 'dark' }, async (page) => {
    await page.locator('html[data-printable=true]').waitFor({ state: 'attached' });
    await page.emulateMedia({ media: 'print' });
    await frames(page);
    const path = fileName('.pdf');
    const pdf = await page.pdf({ path, format: 'A4', printBackground: false });
    writeFileSync(path, pdf);
    const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    assert.ok(pages > 1, `${pages} pages`);
    const read = spawnSync('pdftotext', ['-raw', path, '-'], { encoding: 'utf8' });
    if (read.error) return console.log('skipped in part: there is no pdftotext (poppler-utils) to read the pages with');
    const text = squeezed(read.stdout);
    assert.ok(!text.includes('Decoding') && !text.includes('Readingthispart'), 'parts are missing');
    assert.ok(findings.length > 0);
    for (const finding of findings) assert.ok(text.includes(squeezed(finding.says).slice(0, 60)), finding.says);
  }));
