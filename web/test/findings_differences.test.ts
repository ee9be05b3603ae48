import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  causeLines,
  ceilingsText,
  changeOf,
  changeSentence,
  differenceColumns,
  groupedPairs,
  pairedById,
  silentBecause,
  sumText,
} from '../src/differences/differences.ts';
import type { Differences } from '../src/data/format.ts';
import { Report } from '../src/data/report.ts';
import { sampleComparison } from './sample_report.ts';

const thin = '\u202f';
const { document, blobs } = sampleComparison();
const report = new Report(document, (id) => blobs.get(id)!);
const [base, next] = document.profiles.map((profile) => profile.diagnosis.findings) as [never[], never[]];
const empty = {
  part: 'steps' as const,
  notes: [],
  findings: [],
  causes: [],
  modules: [],
  kernels: [],
  copies: [],
  idle: [],
};

const sentence = (per: Differences['per'], base_ns: number, new_ns: number) =>
  changeSentence({ per, base_ns, new_ns, ...empty });

test('the change is one sentence', () => {
  assert.equal(
    sentence('step', 10_402_010, 12_302_500),
    `A mean step takes 12.3${thin}ms instead of 10.4${thin}ms: 1.90${thin}ms (18.3${thin}%) longer.`,
  );
  assert.match(sentence('run', 2e9, 1e9), /^The run takes .* \(50.0\u202f%\) shorter\.$/);
  assert.equal(sentence('run', 5, 5), `The run takes 5${thin}ns, as long as before.`);
  assert.doesNotMatch(sentence('run', 0, 5), /%/);
});

test('a side that has no row of a name takes no time there', () => {
  const row = { name: 'x', base_ns: null, new_ns: 5, base_count: null, new_count: 1 };
  assert.equal(changeOf(row), 5);
  assert.equal(changeOf({ ...row, base_ns: 7, new_ns: null }), -7);
  const columns = differenceColumns('Kernel', [row]);
  assert.deepEqual(
    columns.map(({ values }) => values[0]),
    [5, null, null, 5, null, 1, 'x'],
  );
  assert.equal(sumText([row, { ...row, new_ns: 1000 }]), `+1.00${thin}µs in total`);
});

test('findings pair by id as the program pairs them', async () => {
  const told = (await report.differences!()).findings;
  const order = (pairs: Differences['findings']) => [...pairs].sort((a, b) => a.id.localeCompare(b.id));
  assert.deepEqual(order(pairedById(base, next)), order(told));
});

test('findings of one id pair in their order', () => {
  const finding = { ...document.profiles[0]!.diagnosis.findings[0]!, id: 'x' };
  assert.deepEqual(pairedById([finding], [finding, finding]), [
    { id: 'x', base: 0, new: 0 },
    { id: 'x', base: null, new: 1 },
  ]);
});

test('findings are new, gone, or in both, each in the order of its side', () => {
  const { added, gone, both } = groupedPairs(pairedById(base, next));
  assert.deepEqual(
    [added, gone, both].map((pairs) => pairs.map(({ id }) => id)),
    [['small_grid'], ['pageable_copy', 'dominant_kernel'], ['gpu_idle_range', 'memory_growth']],
  );
});

test('both ceilings are told with their shares', () => {
  const [pageable, , , growth] = document.profiles[0]!.diagnosis.findings;
  assert.equal(ceilingsText(pageable!, growth!), `97.0${thin}ms (38.1${thin}%) → no time`);
  assert.equal(ceilingsText(growth!, growth!), 'costs no time yet in both');
});

test('a side that abstained has not got rid of a finding', () => {
  const { diagnosis } = document.profiles[1]!;
  assert.match(silentBecause(diagnosis, 'straggler_host')!, /8 ranks/);
  assert.equal(silentBecause(diagnosis, 'pageable_copy'), null);
});

test('causes stand in their order, with their change, its sign', async () => {
  const { causes } = await report.differences!();
  assert.deepEqual(
    causeLines(causes).map(({ change }) => change),
    [`+2.10${thin}ms`, `-200${thin}µs`],
  );
  assert.equal(causeLines(causes)[0]!.says, causes[0]!.says);
  assert.deepEqual(causeLines([]), []);
});
