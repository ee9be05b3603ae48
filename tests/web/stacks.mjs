// Call stacks of CPU samples: the table's numbers are those of the statistics; the flame graph turns around and is searched.
import assert from 'node:assert/strict';
import { copiedBy, openTab, tab, test, withPage } from './_page.mjs';
import { csvTable, inputOf, reportOf, stats, synth } from './_program.mjs';

const profile = inputOf('stats/cpu_function_sum', 'samples.sqlite');
const report = reportOf(profile);

/** {"function file": samples} */
const selfOf = (rows, name, file, self) =>
  Object.fromEntries(
    rows.filter((row) => Number(row[self]) > 0).map((row) => [`${row[name]} ${row[file]}`, Number(row[self])]),
  );

test('functions have as many samples as the statistics say', () =>
  withPage(report, {}, async (page) => {
    await openTab(page, 'CPU');
    const copied = csvTable(await copiedBy(page, page.locator('#part-stacks').getByRole('button', { name: /copy/i })));
    const wanted = selfOf(stats('cpu_function_sum:rows=-1', profile), 'Function', 'Module', 'Self Samples');
    assert.ok(Object.keys(wanted).length > 3);
    assert.deepEqual(selfOf(copied, 'Function', 'File', 'Self samples'), wanted);
  }));

test('the flame graph begins with threads, or with the sampled functions', () =>
  withPage(report, { hash: '#stacks' }, async (page) => {
    const boxes = page.locator('.sonde-flame [role=treeitem]');
    await boxes.first().waitFor();
    const below = () => boxes.nth(1).getAttribute('aria-label');
    assert.match(await below(), /^Thread \d+.*, 11\D+samples$/);
    await page.getByLabel('From').selectOption('inverted');
    assert.match(await below(), /^work, 7\D+samples$/);
  }));

test('a search says how many samples are in what it found', () =>
  withPage(report, { hash: '#stacks' }, async (page) => {
    await page.locator('#part-stacks').getByRole('searchbox').first().fill('wait');
    await page.getByText(/^1 frame found, with 18\.2/).waitFor();
  }));

test('the timeline has a moment for each sample, with its call stack', () => {
  const file = synth();
  const { timeline } = reportOf(file).document.profiles[0];
  const tracks = timeline.tracks.filter(({ label }) => label === 'CPU samples');
  const samples = stats('cpu_function_sum:rows=-1', file).map((row) => Number(row['Self Samples']));
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  assert.ok(sum(samples) > 0);
  assert.equal(sum(tracks.map(({ events }) => events)), sum(samples));
  assert.ok(tracks.every(({ details, kind }) => details !== null && kind === 'sample'));
});

test('without samples the tab says why it is empty', () =>
  withPage(reportOf(inputOf('stats/cuda_gpu_kern_sum', 'mini.sqlite')), {}, async (page) => {
    assert.match(await tab(page, 'CPU').getAttribute('title'), /no call stacks of the host were sampled/);
  }));
