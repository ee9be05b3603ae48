import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bandPath, bandPieces, linePath } from '../src/charts/line_chart.tsx';
import { nearestOf, pointAfterKey } from '../src/charts/plot.tsx';
import { intensityText, ridgeOf, roofAt, rooflineExtent, roofLines } from '../src/charts/roofline.ts';
import { logDomain, positionOf, type Scale } from '../src/charts/scale.ts';
import { radiusOf } from '../src/charts/scatter.tsx';
import { bins, heaviest, median } from '../src/charts/thin.ts';
import { pearson, pearsonWithoutLargest, ranksOf, spearman } from '../src/charts/correlation.ts';
import { fitLine, memoriesOf, plotOf, transferDomains } from '../src/charts/transfer.ts';
import { sampleKernels, sampleModules } from './sample_sections.ts';

test('the heaviest points stay, in their order', () => {
  assert.deepEqual(heaviest([5, 1, 9, 9, 2], 3), [0, 2, 3]);
  assert.deepEqual(heaviest([1, 1, 1, 1], 2), [0, 1]);
  assert.deepEqual(heaviest([3, 2], 5000), [0, 1]);
});

test('bins hold every index once', () => {
  assert.deepEqual(bins(5, 10), [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 4],
    [4, 5],
  ]);
  assert.deepEqual(bins(7, 3), [
    [0, 3],
    [3, 6],
    [6, 7],
  ]);
  assert.deepEqual(bins(0, 3), []);
  assert.equal(bins(20_000, 600).at(-1)![1], 20_000);
  assert.ok(bins(20_000, 600).length <= 600);
});

test('the median of an even count lies between the two in the middle', () => {
  assert.equal(median([4, 1, 3]), 3);
  assert.equal(median([4, 1, 3, 10]), 3.5);
  assert.equal(median([]), null);
});

test('a mark is as large in area as its weight', () => {
  assert.equal(radiusOf(100, 100), 12);
  assert.equal(radiusOf(25, 100), 6);
  assert.equal(radiusOf(0, 100), radiusOf(0.001, 100));
});

test('the pointer finds the nearest point within reach, or the nearest column', () => {
  const places = [
    { x: 10, y: 10 },
    { x: 50, y: 10 },
    { x: 52, y: 90 },
  ];
  assert.equal(nearestOf(places, { x: 48, y: 15 }, 'point'), 1);
  assert.equal(nearestOf(places, { x: 100, y: 50 }, 'point'), null);
  assert.equal(nearestOf(places, { x: 100, y: 5 }, 'column'), 2);
});

test('arrow keys go through the points and stop at both ends', () => {
  assert.equal(pointAfterKey('ArrowRight', null, 3), 0);
  assert.equal(pointAfterKey('ArrowRight', 2, 3), 2);
  assert.equal(pointAfterKey('ArrowLeft', null, 3), 2);
  assert.equal(pointAfterKey('ArrowLeft', 0, 3), 0);
  assert.equal(pointAfterKey('End', 0, 3), 2);
  assert.equal(pointAfterKey('Escape', 1, 3), null);
  assert.equal(pointAfterKey('Escape', null, 3), undefined);
  assert.equal(pointAfterKey('ArrowRight', null, 0), undefined);
  assert.equal(pointAfterKey('x', 1, 3), undefined);
});

test('both roofs meet at the ridge point, and are straight on logarithmic axes', () => {
  const [roofline] = sampleKernels().rooflines;
  const { x, y } = rooflineExtent([roofline!]);
  const domains = { x: logDomain(x), y: logDomain(y) };
  const [memory, arithmetic, drop] = roofLines(roofline!, domains.x, domains.y);
  assert.equal(ridgeOf(roofline!), 6.7e13 / 3.35e12);
  assert.deepEqual(memory!.corners.at(-1), [20, 6.7e13]);
  assert.deepEqual(arithmetic!.corners, [
    [20, 6.7e13],
    [domains.x[1], 6.7e13],
  ]);
  assert.deepEqual(drop!.corners, [
    [20, domains.y[0]],
    [20, 6.7e13],
  ]);
  const scale = (domain: readonly [number, number]): Scale => ({
    log: true,
    low: domain[0],
    high: domain[1],
    from: 0,
    to: 1000,
  });
  const at = memory!.corners.map(
    ([cx, cy]) => [positionOf(scale(domains.x), cx), positionOf(scale(domains.y), cy)] as const,
  );
  const slope = (a: number, b: number) => (at[b]![1] - at[a]![1]) / (at[b]![0] - at[a]![0]);
  assert.ok(Math.abs(slope(0, 1) - slope(1, 2)) < 1e-9);
  for (const [cx, cy] of memory!.corners) assert.ok(Math.abs(cy - 3.35e12 * cx) <= 1e-9 * cy);
  assert.ok(at.every(([px, py]) => px >= -1e-6 && px <= 1000 + 1e-6 && py >= -1e-6 && py <= 1000 + 1e-6));
});

test('the memory roof begins where it comes into the axes from below', () => {
  const roofline = { gpu: '', arithmetic: 'FP32', flop_per_s: 1e12, bytes_per_s: 1e11, points: [] };
  const [memory] = roofLines(roofline, [1e-4, 1e3], [1e9, 1e13]);
  assert.deepEqual(memory!.corners[0], [0.01, 1e9]);
  assert.equal(roofAt(roofline, 1), 1e11);
  assert.equal(roofAt(roofline, 1000), 1e12);
});

test('intensities are written with three digits', () => {
  assert.equal(intensityText(12.345), '12.3\u202fFLOP/B');
  assert.equal(intensityText(1e-5), '1.0e-5\u202fFLOP/B');
  assert.equal(intensityText(null), '–');
});

test('the line of the fit is a curve on logarithmic axes, without what is outside of them', () => {
  const plot = {
    memory: 'DRAM',
    module: [],
    bytes: [],
    ns: [],
    measured_percent: null,
    bytes_per_s: 1e9,
    line: { slope_ns_per_byte: 1, intercept_ns: 0, r2: 1 },
  };
  const within = (corners: readonly (readonly [number, number])[], low: number, high: number) =>
    corners.every(([, ns]) => ns >= low && ns <= high);
  const rising = fitLine(plot, [1, 1e4], [10, 1e3])!.corners;
  assert.ok(rising.every(([bytes, ns]) => bytes === ns) && within(rising, 10, 1e3));
  const falling = { ...plot, line: { slope_ns_per_byte: -1, intercept_ns: 80, r2: null } };
  assert.ok(within(fitLine(falling, [1, 1e4], [1, 1e3])!.corners, 1, 1e3));
  const level = (intercept_ns: number) => ({ ...plot, line: { slope_ns_per_byte: 0, intercept_ns, r2: null } });
  assert.deepEqual(fitLine(level(20), [1, 100], [1, 50])!.corners.at(0), [1, 20]);
  assert.equal(fitLine(level(70), [1, 100], [1, 50]), null);
  assert.equal(fitLine({ ...plot, line: null }, [1, 2], [1, 2]), null);
});

test('correlations: by value, by rank, and without the largest', () => {
  const x = [1, 2, 3, 4, 1000];
  assert.equal(pearson(x, x), 1);
  assert.equal(spearman(x, [10, 20, 30, 40, 41]), 1);
  assert.deepEqual(ranksOf([5, 1, 5, 0]), [3.5, 2, 3.5, 1]);
  // Four points that do not go together, and one that carries the correlation of all.
  const y = [3, 1, 4, 2, 1000];
  assert.ok(pearson(x, y)! > 0.999);
  assert.ok(Math.abs(pearsonWithoutLargest(x, y)!) < 0.3);
  assert.ok(spearman(x, y)! < 0.7);
  assert.equal(pearson([1, 2], [1, 2]), null);
  assert.equal(pearson([1, 1, 1], [1, 2, 3]), null);
});

test('the axes of the transfer plot hold the points of all sides', () => {
  const modules = sampleModules();
  assert.deepEqual(memoriesOf([modules, sampleModules({ measured: false })]), ['DRAM', 'L2']);
  const plots = [plotOf(modules, 'DRAM')!, plotOf(modules, 'L2')!];
  const { x, y } = transferDomains(plots);
  assert.ok(plots.every((plot) => Math.max(...plot.bytes) <= x[1] && Math.max(...plot.ns) <= y[1]));
  assert.equal(plotOf(sampleModules({ measured: false }), 'DRAM'), null);
});

test('a line has a gap where values are missing', () => {
  const scale = { log: false, low: 0, high: 10, from: 0, to: 10 };
  assert.equal(linePath([0, 1, 2, 3], [5, null, 6, 7], scale, scale), 'M0.00 5.00M2.00 6.00L3.00 7.00');
  assert.equal(bandPath([0, 1, 2], [1, null, 1], [2, 2, 3], scale, scale), 'M0.00 2.00L2.00 3.00L2.00 1.00L0.00 1.00z');
  assert.equal(bandPath([0], [null], [1], scale, scale), '');
  assert.equal(
    bandPieces([0, 1, 2, 3], [1, null, 1, 1], [2, 2, 3, 2], scale, scale),
    'M0.00 2.00L0.00 1.00zM2.00 3.00L3.00 2.00L3.00 1.00L2.00 1.00z',
  );
  assert.equal(bandPieces([0], [null], [1], scale, scale), '');
});
