// Every real profile makes a report that opens without a complaint, part by part; what is no timeline is refused.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { enabledTabs, openTab, selectEverything, test, withPage } from '../web/_page.mjs';
import { asked, fileName, readReport, reportOf } from '../web/_program.mjs';
import { calls, copies, kernels, selectionSums } from '../web/_sums.mjs';

const data = process.env.SONDE_TEST_DATA;
if (!data || !existsSync(data)) {
  console.log('skipped: SONDE_TEST_DATA names no folder of real recordings');
  process.exit(77);
}

const kKinds = [
  ['nsys_sqlite', /\.sqlite$/],
  ['nsys_rep', /\.nsys-rep$/],
  ['kineto', /\.json(\.gz)?$/],
  ['ncu_rep', /\.ncu-rep$/],
];

const filesOf = ([kind, suffix]) =>
  existsSync(join(data, kind)) ? readdirSync(join(data, kind)).filter((name) => suffix.test(name)) : [];

let opened = 0;

/** What runs on GPUs and the calls, all selected, add up to the statistics. */
async function checkGpuWork(page, ...paths) {
  await openTab(page, 'Timeline');
  await selectEverything(page);
  const of = await selectionSums(page);
  // Kernels of a graph that was traced as a whole are in no table of kernels.
  const graphs = Object.entries(of('GPU work')).filter(([name]) => /^CUDA graph \d+$/.test(name));
  assert.deepEqual(of('GPU work'), { ...kernels(...paths), ...copies(...paths), ...Object.fromEntries(graphs) });
  assert.deepEqual(of('CUDA calls'), calls(...paths));
}

async function check(path) {
  const html = fileName('.html');
  const { status, said } = asked('report', path, '-o', html);
  if (status !== 0) {
    assert.equal(status, 1, said);
    assert.match(said, /^\S.*\.\s*$/s, 'a sentence');
    assert.ok(!existsSync(html), 'and no file');
    console.log(`refused: ${said.trim()}`);
    return;
  }
  await withPage(readReport(html), {}, async (page) => {
    const tabs = await enabledTabs(page);
    for (const name of tabs) await openTab(page, name);
    if (tabs.includes('Timeline')) await checkGpuWork(page, path);
  });
  ++opened;
}

for (const kind of kKinds) {
  for (const name of filesOf(kind)) test(`${kind[0]}/${name}`, () => check(join(data, kind[0], name)));
}

const ranks = filesOf(['kineto', /^hta_sampled_rank-\d+\.json\.gz$/]).map((name) => join(data, 'kineto', name));

test('two ranks of one run', async () => {
  assert.equal(ranks.length, 2);
  const report = reportOf(...ranks);
  assert.equal(report.document.profiles[0].timeline.ranks.length, 2);
  await withPage(report, {}, async (page) => {
    for (const name of await enabledTabs(page)) await openTab(page, name);
    await checkGpuWork(page, ...ranks);
  });
});

test('most of them open', () => assert.ok(opened >= 20, `${opened} opened`));
