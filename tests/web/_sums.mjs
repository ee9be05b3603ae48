// Sums of a selection on the timeline, and the statistics that they must equal.
import assert from 'node:assert/strict';
import { copiedBy, selectEverything, timeline } from './_page.mjs';
import { csvTable, stats } from './_program.mjs';

/** {name: {count, total}} */
export function sums(rows, name, count, total) {
  const found = {};
  for (const row of rows) {
    const sum = (found[row[name]] ??= { count: 0, total: 0 });
    sum.count += Number(row[count]);
    sum.total += Number(row[total]);
  }
  return found;
}

/** The selection's sums of one kind of track, as the page copies them; of one profile by its label, or of all. */
export async function selectionSums(page) {
  const button = timeline(page).getByRole('button', { name: 'Copy as CSV' });
  await button.waitFor();
  const rows = csvTable(await copiedBy(page, button));
  return (kind, profile) =>
    sums(
      rows.filter((row) => row.Kind === kind && (profile === undefined || row.Profile === profile)),
      'Name',
      'Count',
      'Total (ns)',
    );
}

export const kernels = (...files) => sums(stats('cuda_gpu_kern_sum', ...files), 'Name', 'Instances', 'Total Time (ns)');
export const copies = (...files) =>
  sums(stats('cuda_gpu_mem_time_sum', ...files), 'Operation', 'Count', 'Total Time (ns)');
export const calls = (...files) => sums(stats('cuda_api_sum', ...files), 'Name', 'Num Calls', 'Total Time (ns)');
const ranges = (file) => sums(stats('nvtx_sum', file), 'Range', 'Instances', 'Total Time (ns)');
const osCalls = (file) => sums(stats('osrt_sum', file), 'Name', 'Num Calls', 'Total Time (ns)');

const withoutColon = (found) =>
  Object.fromEntries(Object.entries(found).map(([name, sum]) => [name.replace(/^:/, ''), sum]));

/** A selection of everything is held against every report of sums. */
export async function checkEverything(page, file) {
  await selectEverything(page);
  const of = await selectionSums(page);
  assert.deepEqual(of('GPU work'), { ...kernels(file), ...copies(file) });
  assert.deepEqual(of('CUDA calls'), calls(file));
  assert.deepEqual(withoutColon(of('Ranges')), withoutColon(ranges(file)));
  assert.deepEqual(of('OS runtime calls'), osCalls(file));
}
