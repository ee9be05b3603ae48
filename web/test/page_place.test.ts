import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresOf, gpuShares, median } from '../src/page/figures.ts';
import { filesText, gpusText, listed, productsOf } from '../src/page/header.tsx';
import { isMeasured, launchesText } from '../src/page/measured_note.tsx';
import { kParts, whyMissing } from '../src/page/parts.tsx';
import { hashOfEvidence, hashOfTable, placeOfHash } from '../src/page/place.ts';
import { Report } from '../src/data/report.ts';
import { hostile, sampleDamaged, sampleReport } from './sample_report.ts';

const thin = '\u202f';
const nowhere = { evidence: null, timeline: null, table: null };
const profile = sampleReport().document.profiles[0]!;
const damaged = sampleDamaged();
const placeOf = (hash: string) => placeOfHash(hash, kParts);
const partOf = (id: string) => kParts.find((part) => part.id === id)!;
const missing = (profiles: (typeof profile)[], id: string) => whyMissing(profiles, partOf(id));

test('the address leads to a part, a table, a place of a finding', () => {
  assert.deepEqual(placeOf('#kernels'), { part: 'kernels', ...nowhere });
  assert.deepEqual(placeOf(''), { part: 'overview', ...nowhere });
  assert.deepEqual(placeOf('#findings'), { part: 'overview', ...nowhere });
  const at = { profile: 1, finding: 2, evidence: 34 };
  assert.deepEqual(placeOf(hashOfEvidence(at)), { part: 'timeline', evidence: at, timeline: null, table: null });
  for (const table of ['cuda_api_sum', 'a/b #%', hostile.emoji]) assert.equal(placeOf(hashOfTable(table)).table, table);
});

test('an address that makes no sense leads to the part, or to the overview', () => {
  assert.deepEqual(placeOf('#timeline/evidence-1-x'), { part: 'timeline', ...nowhere });
  assert.deepEqual(placeOf('#__proto__'), { part: 'overview', ...nowhere });
  assert.equal(placeOf('#tables/%').table, '%');
  assert.deepEqual(placeOf('#<img>'), { part: 'overview', ...nowhere });
});

test('a part that is missing says why', () => {
  assert.equal(missing([profile], 'tables'), null);
  assert.equal(missing([profile], 'modules'), 'no ranges were recorded');
  assert.equal(missing(damaged.document.profiles, 'timeline'), 'no events with times were recorded');
  assert.equal(missing([...damaged.document.profiles, profile], 'steps'), null);
});

test('a damaged part fails alone, in one sentence', async () => {
  const report = new Report(damaged.document, (id) => damaged.blobs.get(id)!);
  await assert.rejects(report.profiles[0]!.section('tables')!, Error);
  assert.deepEqual(await report.profiles[0]!.texts(), ['kernel']);
});

test('the strip tells what was recorded, and "–" for what was not', () => {
  const figures = Object.fromEntries(figuresOf(profile).map(({ title, value }) => [title, value]));
  assert.deepEqual(figures, {
    Run: `304${thin}ms`,
    'GPU busy': `67.2${thin}%`,
    Step: `10.4${thin}ms`,
    Kernels: '3,280',
    'Launch to start': `947${thin}µs`,
  });
  const { summary } = profile;
  const bare = { ...summary, gpus: [], kernel_time: null, launch_latency: null, warm_up: null };
  const none = figuresOf({ ...profile, summary: bare, steps: null }).slice(1);
  assert.deepEqual(new Set(none.map(({ value }) => value)), new Set(['–']));
});

test("parts of a GPU's time add up to the run", () => {
  const { gpus, total_ns } = profile.summary;
  const { kernels, other, idle } = gpuShares(gpus[0]!, total_ns)!;
  assert.ok(Math.abs(kernels + other + idle - 100) < 1e-9);
  assert.equal(gpuShares(gpus[0]!, 0), null);
});

test('a report of a kernel profiler alone has no run', () => {
  assert.ok(!isMeasured(profile));
  const alone = { ...profile, span_ns: 0, summary: { ...profile.summary, gpus: [] } };
  assert.ok(isMeasured({ ...alone, sections: { kernels: { id: 'kernels', bytes: 1 } } }));
  assert.ok(!isMeasured({ ...alone, sections: {} }));
  const holding = (count: string) => ({
    capture: {
      files: [{ title: '', facts: [['profiled launches', count] as [string, string]] }],
      gpus: [],
      missing: [],
    },
  });
  assert.equal(launchesText(holding('1')), '1 kernel launch');
  assert.equal(launchesText(holding('1,204')), '1,204 kernel launches');
  assert.equal(launchesText({ capture: { files: [], gpus: [], missing: [] } }), 'kernels');
});

test('the median of none is none', () => {
  assert.equal(median([]), null);
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1]), 2.5);
});

test('what ran is named once', () => {
  assert.equal(listed(['H100', 'A100', 'H100']), '2 × H100, A100');
  assert.equal(filesText(profile.summary.sources), 'train_rank0.nsys-rep and 1 more file');
  assert.equal(gpusText(profile), '2 × NVIDIA H100 80GB HBM3');
  const measured = { ...profile, summary: { ...profile.summary, gpus: [] } };
  assert.equal(gpusText(measured), 'GPU 0: NVIDIA H100 80GB HBM3');
  assert.equal(gpusText({ ...measured, capture: { files: [], gpus: [], missing: [] } }), 'no GPU work');
  assert.equal(productsOf(profile.summary.sources), 'NVIDIA Nsight Systems 2025.1.3');
});
