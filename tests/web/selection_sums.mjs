// The sums of a selection on the timeline equal those of `sonde stats`, to the nanosecond.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  focusTracks,
  frames,
  selectEverything,
  settledView,
  test,
  timeline,
  timelineReady,
  tracksBox,
  withPage,
} from './_page.mjs';
import { csvTable, reportOf, stats, synth } from './_program.mjs';
import { checkEverything, kernels, selectionSums, sums } from './_sums.mjs';

/** Plants that leave copies, sets, waits and allocations besides kernels. */
const profile = synth('--plant', 'pageable', '--plant', 'steady_allocation');
const report = reportOf(profile);
const { timeline: whole, span_ns } = report.document.profiles[0];

test('nothing was merged in a small report', () => assert.equal(whole.tiles, null));

test('Ctrl+A selects all: sums equal the statistics', () =>
  withPage(report, { hash: '#timeline' }, (page) => checkEverything(page, profile)));

const kTables = ['KERNEL', 'MEMCPY', 'MEMSET', 'RUNTIME'].map((kind) => `CUPTI_ACTIVITY_KIND_${kind}`);

const query = (file, sql) => spawnSync('sqlite3', ['-csv', file, sql], { encoding: 'utf8' }).stdout;

/** When the first event of any kind began: the page's clock begins there, that of the statistics does not. */
function firstEvent(file) {
  const starts = [...kTables, 'NVTX_EVENTS', 'OSRT_API'].map((table) => `SELECT min(start) AS start FROM ${table}`);
  const sql = `SELECT min(start) FROM (${starts.join(' UNION ALL ')})`;
  return Number(query(file, sql));
}

/** Operations on GPUs: start (from the first event), duration, name. */
function operations() {
  const first = firstEvent(profile);
  return stats('cuda_gpu_trace', profile).map((row) => ({
    start: Number(row['Start (ns)']) - first,
    duration: Number(row['Duration (ns)']),
    name: row.Name,
  }));
}

/** Two moments at which nothing starts for two pixels to either side, a third and two thirds into the view. */
function quietMoments(starts, view, width) {
  const pixel = (view.end - view.start) / width;
  const quiet = (x) => {
    const at = view.start + x * pixel;
    return !starts.some((start) => Math.abs(start - at) < 2 * pixel);
  };
  const from = (x) => {
    while (!quiet(x)) ++x;
    return x;
  };
  const [left, right] = [from(Math.round(width / 3)), from(Math.round((2 * width) / 3))];
  assert.ok(right < width, 'there are quiet moments');
  return [left, right].map((x) => ({ x, at: view.start + x * pixel }));
}

/** From the first row to below the last one: all tracks. */
async function drag(page, box, from, to) {
  await page.mouse.move(box.x + from, box.y + 2);
  await page.mouse.down();
  await page.mouse.move(box.x + to, box.y + box.height / 2, { steps: 5 });
  await page.mouse.move(box.x + to, box.y + box.height - 2);
  await page.mouse.up();
  await frames(page);
}

test('a part that was dragged: sums equal those of the events that begin in it', () =>
  withPage(report, { hash: '#timeline', height: 2400 }, async (page) => {
    await timelineReady(page);
    await focusTracks(page);
    for (let i = 0; i < 3; ++i) await page.keyboard.press('w');
    const view = await settledView(page);
    const box = await tracksBox(page);
    const all = operations();
    const [left, right] = quietMoments(
      all.map(({ start }) => start),
      view,
      box.width,
    );
    await drag(page, box, left.x, right.x);
    const of = await selectionSums(page);
    const expected = all
      .filter(({ start }) => start >= left.at && start < right.at)
      .map(({ name, duration }) => ({ name, count: 1, total: duration }));
    assert.ok(expected.length > 10, `${expected.length} operations`);
    assert.deepEqual(of('GPU work'), sums(expected, 'name', 'count', 'total'));
  }));

test('several ranks add up like the statistics of all files', () => {
  const files = [synth('--program', 'training'), synth('--program', 'training', '--plant', 'sync')];
  return withPage(reportOf(...files), { hash: '#timeline' }, async (page) => {
    await selectEverything(page);
    const of = await selectionSums(page);
    for (const [name, sum] of Object.entries(kernels(...files))) assert.deepEqual(of('GPU work')[name], sum, name);
  });
});

/** The first pixel from here on that is well inside of a tile. */
function insideTile(x, at, tile_ns) {
  const share = (pixel) => (at(pixel) / tile_ns) % 1;
  while (share(x) < 0.1 || share(x) > 0.9) ++x;
  return x;
}

/** Kernels that begin within [from, to) after the first event, by SQL. */
function kernelsBetween(file, from, to) {
  const first = firstEvent(file);
  const sql = `SELECT value, count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName
    WHERE start >= ${first + from} AND start < ${first + to} GROUP BY value`;
  return sums(csvTable(`name,count,total\n${query(file, sql)}`), 'name', 'count', 'total');
}

test('a report that had to be reduced says so; sums of all are exact, and those of a part on the tiles around it', async () => {
  const large = synth('--events', '3500k');
  const reduced = reportOf(large);
  const { tiles, events, slices } = reduced.document.profiles[0].timeline;
  assert.ok(tiles && slices < events, `nothing was merged of ${events} events`);
  await withPage(reduced, { hash: '#timeline', height: 2400 }, async (page) => {
    await checkEverything(page, large);
    assert.match(await timeline(page).innerText(), /selection was widened to/);
    const view = await settledView(page);
    const box = await tracksBox(page);
    const at = (x) => view.start + ((view.end - view.start) * x) / box.width;
    const { tile_ns } = tiles;
    const [left, right] = [box.width / 3, box.width / 2].map((x) => insideTile(Math.round(x), at, tile_ns));
    await drag(page, box, left, right);
    const of = await selectionSums(page);
    const wanted = kernelsBetween(
      large,
      Math.floor(at(left) / tile_ns) * tile_ns,
      Math.ceil(at(right) / tile_ns) * tile_ns,
    );
    assert.ok(Object.keys(wanted).length >= 5);
    for (const [name, sum] of Object.entries(wanted)) assert.deepEqual(of('GPU work')[name], sum, name);
  });
});

test('the view is the run', () =>
  withPage(report, { hash: '#timeline' }, async (page) => {
    await timelineReady(page);
    const view = await settledView(page);
    assert.ok(view.start <= 0 && view.end >= span_ns && view.end - view.start < 1.1 * span_ns, JSON.stringify(view));
  }));
