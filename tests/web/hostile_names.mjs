// Names in a profile are untrusted: the page shows them as text; they run nothing and do not break or widen the layout.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { enabledTabs, openTab, test, visibleText, withPage } from './_page.mjs';
import { fileName, folder, reportOf, sonde } from './_program.mjs';

const kHostile = [
  '<img src=x onerror="window.hit=1;alert(1)">',
  '</script><script>window.hit=1;alert(1)</script>',
  '<!-- <script>',
  '--> ]]> </title></style></textarea></table>',
  '"quotes\' and `ticks` ${7*7}',
  '&lt;b&gt; &amp;amp; &#60;',
  '👩‍👩‍👧‍👦 family 🏳️‍🌈',
  'left\u202Ethgir\u2066isolated',
  'a\tb\nc\u0001d\u0007e\u001b[31mf\u007fg\u0085h\u2028i',
  '__proto__',
  'constructor',
  'toString',
  'javascript:alert(1)',
  'Z\u0335\u0351'.repeat(40),
  'long'.repeat(2500),
  'اسم طويل جدا '.repeat(20),
  ' ',
];

/** A PyTorch trace in which all that can have a name has these: threads, streams, operators, ranges, kernels. */
function trace() {
  const events = [];
  const meta = (name, pid, tid, args) => events.push({ ph: 'M', name, pid, tid, ts: 0, args });
  const slice = (cat, name, pid, tid, ts, dur, args = {}) =>
    events.push({ ph: 'X', cat, name, pid, tid, ts, dur, args });
  meta('process_name', 1, 0, { name: kHostile[0] });
  meta('process_labels', 1, 0, { labels: kHostile[1] });
  meta('process_labels', 0, 0, { labels: 'GPU 0' });
  kHostile.forEach((name, i) => meta('thread_name', 1, 100 + i, { name }));
  let correlation = 0;
  for (let step = 0; step < 6; ++step) {
    const at = step * 20_000;
    slice('user_annotation', `ProfilerStep#${step}`, 1, 100, at, 19_000);
    kHostile.forEach((name, i) => {
      const begin = at + i * 1000;
      ++correlation;
      slice('user_annotation', name, 1, 100, begin + 1, 900);
      slice('cpu_op', name, 1, 100, begin + 10, 800);
      slice('cpu_op', name, 1, 100 + i, begin + 10, 800);
      slice('cuda_runtime', 'cudaLaunchKernel', 1, 100, begin + 20, 10, { correlation });
      slice('kernel', name, 0, 7 + (i % 3), begin + 100, 700 + i, {
        correlation,
        device: 0,
        stream: 7 + (i % 3),
        grid: [132, 1, 1],
        block: [128, 1, 1],
        'registers per thread': 32,
        'shared memory': 0,
      });
    });
  }
  return {
    schemaVersion: 1,
    deviceProperties: [{ id: 0, name: kHostile[0], numSms: 132, computeMajor: 9, computeMinor: 0, warpSize: 32 }],
    traceEvents: events,
  };
}

const json = join(folder, '<img src=x onerror=alert(1)>&quot;.json');
writeFileSync(json, JSON.stringify(trace()).replaceAll('javascript:alert', '\\ud800javascript:alert'));

/** The same as Nsight Systems' tables, with bytes that are no text. */
function database() {
  const source = fileName('.sqlite');
  sonde('convert', json, source);
  const path = join(folder, "'; DROP TABLE x; --.sqlite");
  copyFileSync(source, path);
  const sql = "UPDATE StringIds SET value = CAST(x'c328ff3c623ef09f98' || value AS TEXT) WHERE id % 5 = 1;";
  const run = spawnSync('sqlite3', [path, sql], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stderr);
  return path;
}

const made = {
  'a PyTorch trace': () => reportOf(json),
  'a title': () => reportOf(json, '--title', kHostile[1]),
  'an Nsight Systems export': () => reportOf(database()),
};

/** Elements that the page's own markup never has; those of a name would be here. */
const intruders = (page) =>
  page.evaluate(() => ({
    hit: window.hit ?? null,
    elements: document.querySelectorAll('img,iframe,object,embed,b,form,base,meta[http-equiv=refresh]').length,
    scripts: [...document.scripts].filter((script) => script.type === '' || script.type === 'text/javascript').length,
    changed: Object.keys(Object.prototype).length,
  }));

for (const [what, make] of Object.entries(made)) {
  test(what, async () => {
    const report = make();
    new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(report.path));
    for (const width of [760, 1440]) {
      await withPage(report, { width }, async (page) => {
        for (const name of await enabledTabs(page)) {
          await openTab(page, name);
          const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
          assert.ok(wide <= 0, `${name} is ${wide} pixels wider than ${width}`);
          assert.deepEqual(await intruders(page), { hit: null, elements: 0, scripts: 1, changed: 0 }, name);
        }
      });
    }
  });
}

test('the names stand there as they are', () =>
  withPage(reportOf(json), { hash: '#kernels' }, async (page) => {
    await openTab(page, 'Kernels');
    const text = await visibleText(page);
    for (const name of ['__proto__', 'constructor', '&lt;b&gt; &amp;amp; &#60;', '</script>', '<img src=x'])
      assert.ok(text.includes(name), `${name} is not in: ${text.slice(0, 3000)}`);
  }));

test('the file names no path of this machine', () => {
  assert.ok(!readFileSync(reportOf(json).path, 'utf8').includes(folder));
});

test('a search for a hostile name finds it', () =>
  withPage(reportOf(json), { hash: '#timeline' }, async (page) => {
    await openTab(page, 'Timeline');
    for (const name of ['<img src=x', '__proto__', '(', '\\', '[a', '/(/']) {
      await page.getByRole('searchbox').first().fill(name);
      await page.keyboard.press('Enter');
    }
  }));
