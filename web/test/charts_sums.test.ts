import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bandwidthOf, hostMemoryOf, shapeOf, sumsByDirection, sumsByMemory } from '../src/charts/copies.ts';
import { kernelSums, withRest } from '../src/charts/kernel_sums.ts';
import { kernelColumns } from '../src/charts/kernel_table.tsx';
import { categoryEntries } from '../src/charts/legend.tsx';
import { barSteps, busyPercent, gpusOf, rankSteps, stepColumns, stepSpreads } from '../src/charts/steps.ts';
import { stepTableColumns } from '../src/charts/step_table.tsx';
import { sumOf } from '../src/charts/thin.ts';
import type { ProfileDocument } from '../src/data/format.ts';
import { sampleReport } from './sample_sections_report.ts';
import { sampleCopies, sampleKernels, sampleSteps } from './sample_sections.ts';

test('time by kernel is the sum over shapes, and the rest makes it whole', () => {
  const kernels = sampleKernels();
  const sums = kernelSums(kernels);
  assert.equal(sumOf(sums.map((sum) => sum.total_ns)), sumOf(kernels.total_ns));
  assert.ok(sums.every((sum, i) => i === 0 || sum.total_ns <= sums[i - 1]!.total_ns));
  const { first, rest } = withRest(sums, 3);
  assert.equal(first.length, 3);
  assert.equal(rest!.names, sums.length - 3);
  assert.equal(sumOf(first.map((sum) => sum.total_ns)) + rest!.total_ns, sumOf(kernels.total_ns));
  assert.equal(withRest(sums, 100).rest, null);
});

test('of a name the shape with the longest launch is shown on the timeline', () => {
  const kernels = sampleKernels();
  for (const sum of kernelSums(kernels)) {
    const rows = kernels.name.flatMap((name, row) =>
      name === sum.name && kernels.total_ns[row] !== null ? [row] : [],
    );
    assert.equal(kernels.maximum_ns[sum.row], Math.max(...rows.map((row) => kernels.maximum_ns[row]!)));
    assert.equal(sum.count, sumOf(rows.map((row) => kernels.count[row]!)));
  }
});

test('columns that nobody measured are not in the table of kernels', () => {
  const names = (counters: boolean) =>
    kernelColumns(sampleKernels({ counters }), new Map()).map((column) => column.name);
  assert.ok(names(true).includes('DRAM'));
  assert.ok(!names(false).includes('DRAM'));
  const kernels = sampleKernels();
  kernels.registers = kernels.registers.map(() => null);
  assert.ok(!kernelColumns(kernels, new Map()).some((column) => column.name === 'Registers'));
});

test('bandwidth is bytes of all copies over their time, absent without a size', () => {
  const copies = sampleCopies();
  assert.equal(bandwidthOf(copies, 0), (25_165_824 * 38) / (copies.total_ns[0]! / 1e9));
  assert.equal(bandwidthOf(copies, copies.bytes.indexOf(null)), null);
});

test('sums of copies are whole, and those between host and GPU alone have a kind of host memory', () => {
  const copies = sampleCopies();
  const bytes = copies.bytes.map((size, row) => (size ?? 0) * copies.count[row]!);
  const directions = sumsByDirection(copies);
  assert.equal(sumOf(directions.map((sum) => sum.bytes)), sumOf(bytes));
  assert.equal(sumOf(directions.map((sum) => sum.count)), sumOf(copies.count));
  assert.equal(sumOf(directions.map((sum) => sum.total_ns)), sumOf(copies.total_ns));
  const memories = sumsByMemory(copies);
  assert.deepEqual(memories.map((sum) => sum.title).sort(), ['pageable', 'pinned', 'unknown']);
  const host = (row: number) => copies.category[row] === 'copy_h2d' || copies.category[row] === 'copy_d2h';
  assert.equal(sumOf(memories.map((sum) => sum.bytes)), sumOf(bytes.filter((_, row) => host(row))));
  const unified = directions.find((sum) => sum.title === 'Unified Host-to-Device')!;
  assert.deepEqual([unified.bytes, unified.bytes_per_s], [null, null]);
});

test("the host's memory is on either side of a copy, and has a shape of its own", () => {
  const copies = sampleCopies();
  const row = copies.category.indexOf('copy_d2h');
  assert.equal(hostMemoryOf(copies, row), 'pinned');
  assert.equal(hostMemoryOf(copies, 0), 'pageable');
  assert.equal(hostMemoryOf(copies, copies.category.indexOf('copy_d2d')), null);
  assert.equal(new Set([shapeOf('pinned'), shapeOf('pageable'), shapeOf(null)]).size, 3);
  assert.equal(shapeOf('managed'), shapeOf(null));
});

const profile = (): ProfileDocument => sampleReport('full').document.profiles[0]!;

test('busy time of several GPUs is their mean, and with idle time is the length', () => {
  const steps = {
    rank: 0,
    start_ns: [0, 10],
    end_ns: [10, 30],
    gpu_busy_ns: [12, 40],
    kernels: [1, 1],
    launches: [1, 1],
    copy_bytes: [0, 0],
  };
  assert.equal(gpusOf(profile(), steps), 2);
  const rank = rankSteps(profile(), steps);
  assert.deepEqual(rank.busy_ns, [6, 20]);
  assert.equal(busyPercent([rank]), (100 * 52) / 60);
  const { columns } = stepColumns(rank, 10, 3);
  assert.deepEqual(
    columns.map((column) => [column.begin, column.end, sumOf(column.parts.map((part) => part.value))]),
    [
      [3, 4, 10],
      [4, 5, 20],
    ],
  );
  const table = stepTableColumns(
    [
      { rank, step: 0 },
      { rank, step: 1 },
    ],
    3,
    null,
  );
  assert.deepEqual(table.find((column) => column.name === 'GPU idle')!.values, [4, 0]);
  assert.deepEqual(table.find((column) => column.name === 'Step')!.values, [3, 4]);
});

test('steps that stand out are found, and a bar of several steps shows the longest', () => {
  const data = sampleSteps({ ranks: 2, count: 60 });
  const ranks = data.ranks.map((steps) => rankSteps(profile(), steps));
  assert.deepEqual(
    ranks.map((rank) => rank.outliers),
    [[17], [17, 40]],
  );
  const bars = barSteps(ranks[0]!.length_ns, 6);
  assert.equal(bars.length, 6);
  assert.equal(bars[1]!.step, 17);
  const { columns, step } = stepColumns(ranks[0]!, 6, 0);
  assert.deepEqual(
    columns.map((column) => column.outlier),
    [false, true, false, false, false, false],
  );
  assert.equal(step[1], 17);
});

test('the spread over ranks names the slowest one', () => {
  const ranks = sampleSteps({ ranks: 3, count: 50 }).ranks.map((steps) => rankSteps(profile(), steps));
  const spreads = stepSpreads(ranks, 1000);
  const at = spreads[40]!;
  assert.equal(at.slowest.rank, ranks[1]);
  assert.equal(at.maximum, ranks[1]!.length_ns[40]);
  assert.equal(at.minimum, Math.min(...ranks.map((rank) => rank.length_ns[40]!)));
  const merged = stepSpreads(ranks, 5);
  assert.equal(merged.length, 5);
  assert.equal(merged[4]!.slowest.step, 40);
});

test('ranks may have different numbers of steps', () => {
  const long = rankSteps(profile(), sampleSteps({ ranks: 1, count: 5 }).ranks[0]!);
  const short = rankSteps(profile(), sampleSteps({ ranks: 1, count: 2 }).ranks[0]!);
  assert.equal(stepSpreads([long, short], 100).length, 5);
});

test('a legend names each hue once', () => {
  const entries = categoryEntries(['matrix', 'attention', 'softmax', 'matrix']);
  assert.deepEqual(
    entries.map((entry) => entry.title),
    ['matrix product, convolution', 'attention; softmax'],
  );
});
