// Kernels below the modules that launched them, and turned around: the numbers are those of the statistics.
import assert from 'node:assert/strict';
import { copiedBy, openTab, test, withPage } from './_page.mjs';
import { csvTable, reportOf, sonde, stats, synth } from './_program.mjs';

const profile = synth();
const report = reportOf(profile);
const { json, document } = report;
const { sections } = document.profiles[0];
const work = json(sections.module_work.id);
const modules = json(sections.modules.id);

const frame = (page) => page.locator('.sonde-chart', { hasText: 'Kernels of modules by GPU time' });
const labels = (page) =>
  frame(page)
    .getByRole('treeitem')
    .evaluateAll((boxes) => boxes.map((box) => `${box.getAttribute('aria-level')} ${box.getAttribute('aria-label')}`));

test('what a module launched itself adds up to its own GPU time', () => {
  const sums = modules.name.map(() => 0);
  let outside = 0;
  work.module.forEach((module, i) =>
    module < 0 ? (outside += work.device_ns[i]) : (sums[module] += work.device_ns[i]),
  );
  assert.ok(sums.some((ns) => ns > 0));
  assert.deepEqual(sums, modules.device_self_ns);
  assert.equal(outside, modules.outside.device_ns);
});

test('each kernel was launched as often as the statistics say', () => {
  const counts = {};
  work.name.forEach((name, i) => (counts[work.names[name]] = (counts[work.names[name]] ?? 0) + work.count[i]));
  for (const row of stats('cuda_gpu_kern_sum', profile))
    assert.equal(counts[row.Name], Number(row.Instances), row.Name);
});

for (const [width, colorScheme] of [
  [1440, 'light'],
  [400, 'dark'],
])
  test(`the graph has kernels below modules, and modules below kernels: ${width} px, ${colorScheme}`, () =>
    withPage(report, { width, colorScheme }, async (page) => {
      await openTab(page, 'Modules');
      const names = new Set(modules.name);
      const nameOf = (label) => label.slice(2, label.lastIndexOf(', '));
      const tops = async () => (await labels(page)).filter((label) => label.startsWith('2 ')).map(nameOf);
      assert.ok((await tops()).some((name) => names.has(name)));
      await frame(page).getByLabel('From').selectOption('inverted');
      assert.ok((await tops()).length > 0);
      assert.ok(
        (await tops()).every((name) => !names.has(name)),
        (await tops()).join(),
      );
      assert.ok((await labels(page)).some((label) => label.startsWith('3 ') && names.has(nameOf(label))));
      const overflow = await page.evaluate(() => document.body.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
    }));

test('a search says how much GPU time is in what it found', () =>
  withPage(report, {}, async (page) => {
    await openTab(page, 'Modules');
    await frame(page).getByRole('searchbox').fill('gemm');
    await frame(page)
      .getByText(/^[\d,]+ blocks? found, with [\d.]+\s% of GPU time\.$/)
      .waitFor();
  }));

/** Layers of the encoder are numbered. */
const exactly = json(sections.modules_exact.id);

test('the switch for exact names shows rows with numbers, as sonde modules --exact-names does', () =>
  withPage(report, {}, async (page) => {
    await openTab(page, 'Modules');
    const part = page.locator('#part-modules');
    const rows = () => copiedBy(page, part.getByRole('button', { name: /copy/i }).last()).then(csvTable);
    const merged = await rows();
    assert.ok(merged.some(({ Module }) => Module.includes('#')));
    await part.getByLabel('Exact names').check();
    const exact = await rows();
    assert.ok(exact.length > merged.length);
    assert.ok(exact.every(({ Module }) => !Module.includes('#')));
    const wanted = csvTable(sonde('modules', '-q', '--exact-names', '--min-percent', 0, '-f', 'csv', profile));
    assert.equal(exact.length, exactly.name.length);
    const layer = exact.find(({ Module }) => /encoder\.layer\.1$/.test(Module));
    const same = wanted.find((row) => Object.values(row).some((cell) => /encoder\.layer\.1$/.test(cell)));
    assert.equal(Number(layer.Calls), Number(same.Calls), JSON.stringify([layer, same]));
    assert.ok((await labels(page)).some((label) => /encoder\.layer\.1/.test(label)));
  }));
