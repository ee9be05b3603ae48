// Ranges projected on the GPU are rows of the timeline; their sums are those of the statistics.
import assert from 'node:assert/strict';
import { selectEverything, test, withPage } from './_page.mjs';
import { reportOf, stats, synth } from './_program.mjs';
import { selectionSums, sums } from './_sums.mjs';

const profile = synth();
const report = reportOf(profile);
const tracks = report.document.profiles[0].timeline.tracks;

test('they stand below the streams of their GPU', () => {
  const projected = tracks.filter(({ kind }) => kind === 'projection');
  assert.ok(projected.length > 0);
  for (const { place, rows, label } of projected) {
    assert.match(place, /^GPU \d+$/);
    assert.match(label, /projected/);
    assert.ok(rows.length > 1, 'inner ranges stand below outer ones');
  }
});

test('a selection of everything has the sums of nvtx_gpu_proj_sum', () =>
  withPage(report, { hash: '#timeline' }, async (page) => {
    await selectEverything(page);
    const of = await selectionSums(page);
    const rows = stats('nvtx_gpu_proj_sum', profile).map((row) => ({ ...row, Range: row.Range.replace(/^.*?:/, '') }));
    assert.deepEqual(of('Projected ranges'), sums(rows, 'Range', 'Range Instances', 'Total Proj Time (ns)'));
  }));
