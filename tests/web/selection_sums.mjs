// What a selection on the timeline adds up to are the figures of `sonde stats`, to the nanosecond.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  copiedBy,
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
import { csvTable, reportOf, sonde, stats, synth } from './_program.mjs';

/** Plants that leave copies, sets, waits and allocations besides kernels. */
const profile = synth('--plant', 'pageable', '--plant', 'steady_allocation');
const report = reportOf(profile);
const { timeline: whole, span_ns } = report.document.profiles[0];

/** {name: {count, total}} */
function sums(rows, name, count, total) {
  const found = {};
  for (const row of rows) {
    const sum = (found[row[name]] ??= { count: 0, total: 0 });
    sum.count += Number(row[count]);
    sum.total += Number(row[total]);
  }
  return found;
}

/** The selection's sums of one kind of track, as the page copies them. */
async function selectionSums(page) {
  const button = timeline(page).getByRole('button', { name: 'Copy as CSV' });
  await button.waitFor();
  const rows = csvTable(await copiedBy(page, button));
  return (kind) =>
    sums(
      rows.filter((row) => row.Kind === kind),
      'Name',
      'Count',
      'Total (ns)',
    );
}

const kernels = (file) => sums(stats('cuda_gpu_kern_sum', file), 'Name', 'Instances', 'Total Time (ns)');
const copies = (file) => sums(stats('cuda_gpu_mem_time_sum', file), 'Operation', 'Count', 'Total Time (ns)');
const calls = (file) => sums(stats('cuda_api_sum', file), 'Name', 'Num Calls', 'Total Time (ns)');
const ranges = (file) => sums(stats('nvtx_sum', file), 'Range', 'Instances', 'Total Time (ns)');
const osCalls = (file) => sums(stats('osrt_sum', file), 'Name', 'Num Calls', 'Total Time (ns)');

const withoutColon = (found) =>
  Object.fromEntries(Object.entries(found).map(([name, sum]) => [name.replace(/^:/, ''), sum]));

/** A selection of everything is held against every report of sums. */
async function checkEverything(page, file) {
  await selectEverything(page);
  const of = await selectionSums(page);
  assert.deepEqual(of('GPU work'), { ...kernels(file), ...copies(file) });
  assert.deepEqual(of('CUDA calls'), calls(file));
  assert.deepEqual(withoutColon(of('Ranges')), withoutColon(ranges(file)));
  assert.deepEqual(of('OS runtime calls'), osCalls(file));
}

test('nothing was merged in a small report', () => assert.equal(whole.tiles, null));

test('Ctrl+A selects all: sums equal the statistics', () =>
  withPage(report, { hash: '#timeline' }, (page) => checkEverything(page, profile)));

const kTables = ['KERNEL', 'MEMCPY', 'MEMSET', 'RUNTIME'].map((kind) => `CUPTI_ACTIVITY_KIND_${kind}`);

/** When the first event of any kind began: the page's clock begins there, that of the statistics does not. */
function firstEvent() {
  const starts = [...kTables, 'NVTX_EVENTS', 'OSRT_API'].map((table) => `SELECT min(start) AS start FROM ${table}`);
  const sql = `SELECT min(start) FROM (${starts.join(' UNION ALL ')})`;
  return Number(spawnSync('sqlite3', [profile, sql], { encoding: 'utf8' }).stdout);
}

/** Operations on GPUs: start (from the first event), duration, name. */
function operations() {
  const first = firstEvent();
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
    // From the first row to below the last one: all tracks.
    await page.mouse.move(box.x + left.x, box.y + 2);
    await page.mouse.down();
    await page.mouse.move(box.x + right.x, box.y + box.height / 2, { steps: 5 });
    await page.mouse.move(box.x + right.x, box.y + box.height - 2);
    await page.mouse.up();
    await frames(page);
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
    const rows = csvTable(sonde('stats', '-q', '-r', 'cuda_gpu_kern_sum', '-f', 'csv', ...files));
    const wanted = sums(rows, 'Name', 'Instances', 'Total Time (ns)');
    for (const [name, sum] of Object.entries(wanted)) assert.deepEqual(of('GPU work')[name], sum, name);
  });
});

test('a report that had to be reduced says so, and its sums are still exact', async () => {
  const large = synth('--events', '3M');
  const reduced = reportOf(large);
  const { tiles, events, slices } = reduced.document.profiles[0].timeline;
  assert.ok(tiles && slices < events, `nothing was merged of ${events} events`);
  await withPage(reduced, { hash: '#timeline' }, async (page) => {
    await checkEverything(page, large);
    assert.match(await timeline(page).innerText(), /keeps sums for steps of [\d.]+\s\S+/);
  });
});

test('the view is the run', () =>
  withPage(report, { hash: '#timeline' }, async (page) => {
    await timelineReady(page);
    const view = await settledView(page);
    assert.ok(view.start <= 0 && view.end >= span_ns && view.end - view.start < 1.1 * span_ns, JSON.stringify(view));
  }));
