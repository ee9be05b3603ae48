import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  boxAfterKey,
  boxesForPixels,
  childrenOf,
  flameBoxes,
  kMostBoxes,
  kMostLevels,
  type FlameBox,
} from '../src/modules/flame_layout.ts';
import { moduleColumns } from '../src/modules/module_columns.ts';
import { factsOf, mostUneven, spreadOf } from '../src/modules/module_facts.ts';
import {
  firstWeight,
  keyOf,
  kOutside,
  kRoot,
  kWeights,
  matchesOf,
  pathTexts,
  rowAtPath,
  rowsAbove,
  treeOf,
  weightOfRows,
  widthOf,
  widthsOf,
} from '../src/modules/module_tree.ts';
import type { Modules } from '../src/data/format.ts';
import { largeModules, sampleModules } from './sample_sections.ts';

const weightOf = (key: string) => kWeights.find((weight) => weight.key === key)!;

test('the widest row is the busy time: roots and what is outside any module', () => {
  const modules = sampleModules();
  const widths = widthsOf(treeOf(modules), weightOf('device'));
  assert.equal(widths.whole, modules.whole.device_ns);
  for (const weight of kWeights) {
    const { whole, outside } = widthsOf(treeOf(modules), weight);
    const top = weight.values(modules).filter((_, row) => modules.parent[row]! < 0);
    assert.equal(
      whole - outside,
      top.reduce((a, b) => a + b, 0),
    );
    assert.equal(outside, weight.outside(modules) ?? 0);
  }
});

test('a module is at least as wide as what is in it', () => {
  const modules = sampleModules();
  const inner = modules.name.indexOf('q_proj');
  modules.host_ns[inner] = 1e12;
  const widths = widthsOf(treeOf(modules), weightOf('host'));
  for (let row = inner; row >= 0; row = modules.parent[row]!) assert.ok(widths.of[row]! >= 1e12);
});

/** Of each box those directly below it; they must lie within, side by side without gaps from its left edge. */
function checkNesting(boxes: readonly FlameBox[]): void {
  for (const box of boxes.filter((one) => one.rest === 0)) {
    const inside = boxes.filter(
      (other) => other.depth === box.depth + 1 && other.from >= box.from && other.from < box.from + box.width,
    );
    let at = box.from;
    for (const other of inside) {
      assert.equal(other.from, at);
      at += other.width;
    }
    assert.ok(at <= box.from + box.width);
  }
}

test('widths sum exactly: without a least width nothing is merged and each level adds up', () => {
  const modules = sampleModules();
  const tree = treeOf(modules);
  for (const order of ['time', 'weight'] as const) {
    const widths = widthsOf(tree, weightOf('device'));
    const boxes = flameBoxes(tree, widths, { top: kRoot, order, least: 0 });
    checkNesting(boxes);
    assert.ok(boxes.every((box) => box.rest === 0));
    const drawn = modules.device_total_ns.filter((ns) => ns > 0).length;
    assert.equal(boxes.length, drawn + 2);
    const first = boxes.filter((box) => box.depth === 1);
    assert.equal(
      first.reduce((sum, box) => sum + box.width, 0),
      modules.whole.device_ns,
    );
  }
});

test('what is too narrow is merged into one block with exactly its weight', () => {
  const modules = sampleModules();
  const tree = treeOf(modules);
  const widths = widthsOf(tree, weightOf('device'));
  const optimizer = modules.name.indexOf('optimizer.step');
  const boxes = flameBoxes(tree, widths, { top: optimizer, order: 'time', least: 1200 });
  checkNesting(boxes);
  const [rest] = boxes.filter((box) => box.rest > 0);
  const narrow = tree.children[optimizer]!.filter((row) => widths.of[row]! < 1200);
  assert.equal(rest!.rest, narrow.length);
  assert.equal(
    rest!.width,
    narrow.reduce((sum, row) => sum + widths.of[row]!, 0),
  );
  const wide = boxes.filter((box) => box.depth === 1 && box.rest === 0);
  const inside = tree.children[optimizer]!.reduce((sum, row) => sum + widths.of[row]!, 0);
  assert.equal(wide.reduce((sum, box) => sum + box.width, 0) + rest!.width, inside);
});

test('modules are ordered by their first call or by their width, what is outside any module last by time', () => {
  const tree = treeOf(sampleModules());
  const widths = widthsOf(tree, weightOf('device'));
  const level = (order: 'time' | 'weight') =>
    flameBoxes(tree, widths, { top: kRoot, order, least: 0 }).filter((box) => box.depth === 1);
  assert.equal(level('time').at(-1)!.row, kOutside);
  const byWeight = level('weight').map((box) => box.width);
  assert.deepEqual(
    byWeight,
    byWeight.toSorted((a, b) => b - a),
  );
});

test('50,000 modules become a bounded number of boxes in a moment', () => {
  const tree = treeOf(largeModules(50_000));
  const widths = widthsOf(tree, weightOf('device'));
  const begin = performance.now();
  const boxes = boxesForPixels(tree, widths, { top: kRoot, order: 'time', pixels: 1400, shown: widths.whole });
  assert.ok(performance.now() - begin < 500);
  assert.ok(boxes.length > 500 && boxes.length <= kMostBoxes);
  assert.ok(boxes.every((box) => box.depth === 0 || box.width >= widths.whole / 1400));
});

test('a chart of one pixel, or of nothing, is no endless loop', () => {
  const modules = sampleModules();
  const tree = treeOf(modules);
  const widths = widthsOf(tree, weightOf('device'));
  assert.ok(boxesForPixels(tree, widths, { top: kRoot, order: 'time', pixels: 0, shown: widths.whole }).length >= 1);
  modules.copy_bytes.fill(0);
  const none = widthsOf(tree, weightOf('copied'));
  assert.deepEqual(boxesForPixels(tree, none, { top: kRoot, order: 'time', pixels: 900, shown: 0 }), []);
});

test('a range that calls itself thousands of times is drawn as far as the screen goes', () => {
  const modules = largeModules(20_000);
  modules.parent = modules.parent.map((_, row) => row - 1);
  modules.device_total_ns.fill(1000);
  modules.outside.device_ns = 0;
  const tree = treeOf(modules);
  const widths = widthsOf(tree, weightOf('device'));
  const boxes = boxesForPixels(tree, widths, { top: kRoot, order: 'time', pixels: 900, shown: widths.whole });
  assert.equal(Math.max(...boxes.map((box) => box.depth)), kMostLevels - 1);
  assert.ok(boxes.length < 2 * kMostLevels);
});

test('arrow keys go to the module inside, around and beside', () => {
  const tree = treeOf(sampleModules());
  const widths = widthsOf(tree, weightOf('device'));
  const boxes = flameBoxes(tree, widths, { top: kRoot, order: 'time', least: 0 });
  const at = (name: string) => boxes.findIndex((box) => box.row >= 0 && tree.modules.name[box.row] === name);
  const forward = at('forward');
  assert.equal(boxAfterKey(boxes, 0, 'ArrowDown'), at('train_step'));
  assert.equal(boxAfterKey(boxes, at('train_step'), 'ArrowDown'), forward);
  assert.equal(boxAfterKey(boxes, forward, 'ArrowUp'), at('train_step'));
  assert.equal(boxAfterKey(boxes, forward, 'ArrowRight'), at('loss'));
  assert.equal(boxAfterKey(boxes, at('loss'), 'ArrowLeft'), forward);
  assert.equal(boxAfterKey(boxes, 0, 'ArrowUp'), undefined);
  assert.equal(boxAfterKey(boxes, forward, 'ArrowLeft'), undefined);
});

test('a place of one profile is found in the other by its path', () => {
  const tree = treeOf(sampleModules());
  const other = treeOf(sampleModules({ scale: 0.5 }));
  const row = tree.modules.name.lastIndexOf('sdpa');
  const path = rowsAbove(tree.modules, row).map((above) => keyOf(tree.modules, above));
  assert.equal(rowAtPath(tree, path), row);
  assert.equal(other.modules.name[rowAtPath(other, path)!], 'sdpa');
  assert.equal(rowAtPath(tree, []), kRoot);
  assert.equal(rowAtPath(tree, [...path, '\nnone']), null);
  assert.equal(widthOf(widthsOf(tree, weightOf('device')), kRoot), tree.modules.whole.device_ns);
});

test('a search counts a module inside another match once', () => {
  const tree = treeOf(sampleModules());
  const widths = widthsOf(tree, weightOf('device'));
  const all = matchesOf(tree.modules, 'SELF_attn')!;
  assert.equal(all.size, 8);
  const attention = weightOfRows(tree, widths, all);
  const nested = new Set([...all, ...(matchesOf(tree.modules, 'sdpa') ?? [])]);
  assert.equal(weightOfRows(tree, widths, nested), attention);
  assert.equal(matchesOf(tree.modules, '  '), null);
  assert.equal(matchesOf(tree.modules, 'no such thing')!.size, 0);
});

test('nested names of thousands of characters do not multiply', () => {
  const modules = sampleModules({ ranks: false, measured: false });
  modules.name = modules.name.map(() => 'x'.repeat(10_000));
  assert.ok(pathTexts(modules).every((path) => path.length <= 2001));
  const plain = sampleModules();
  assert.equal(pathTexts(plain)[plain.name.indexOf('q_proj')], 'train_step/forward/model.layers.0/self_attn/q_proj');
});

test('the spread over ranks is that of the columns, and modules that stand for others are not told twice', () => {
  const modules = sampleModules();
  const row = modules.name.indexOf('sdpa');
  const spread = spreadOf(modules, row)!;
  const values = modules.device_by_rank_ns!.map((column) => column[row]!);
  assert.deepEqual([spread.minimum, spread.maximum, spread.slowest], [Math.min(...values), Math.max(...values), 2]);
  assert.ok(mostUneven(modules, 12).every((one) => ['self_attn', 'sdpa'].includes(modules.name[one]!)));
  assert.equal(spreadOf(sampleModules({ ranks: false }), row), null);
  const outer = modules.parent[row]!;
  for (const column of modules.device_by_rank_ns!) column[outer] = column[row]!;
  assert.ok(!mostUneven(modules, 100).includes(outer));
});

test('columns follow what was recorded', () => {
  const names = (modules: Modules, ranks: string[]) => moduleColumns(modules, ranks).map((column) => column.name);
  const full = names(sampleModules(), ['node a', '', '', '']);
  for (const name of ['Module', 'Memory peak', 'Rank max', 'GPU time node a', 'GPU time rank 3', 'DRAM', 'Bound'])
    assert.ok(full.includes(name), name);
  const bare = sampleModules({ ranks: false, measured: false });
  bare.peak_bytes = bare.peak_bytes.map(() => null);
  assert.ok(!names(bare, ['']).some((name) => /Memory peak|Rank|DRAM/.test(name)));
  const many = sampleModules();
  many.device_by_rank_ns = Array.from({ length: 100 }, () => many.device_total_ns);
  assert.ok(names(many, []).length < 40);
});

test('facts say what is known and leave out what is not', () => {
  const modules = sampleModules({ measured: false, ranks: false });
  const row = modules.name.indexOf('q_proj');
  assert.ok(!factsOf(modules, row).some(([name]) => /memory peak|DRAM|rank/.test(name)));
  assert.equal(factsOf(modules, kRoot)[0]![1].endsWith('(100\u202f%)'), true);
  assert.deepEqual(childrenOf(treeOf(modules), widthsOf(treeOf(modules), weightOf('device')), kOutside), []);
});

test('without GPU work modules are shown by host time, and nothing of a GPU is said', () => {
  const modules = sampleModules();
  const nothing = { device_ns: 0, idle_ns: 0, launches: 0 };
  const zeros = modules.name.map(() => 0);
  const onHost: Modules = {
    ...modules,
    device_total_ns: zeros,
    device_self_ns: zeros,
    launches: zeros,
    device_by_rank_ns: null,
    measured: null,
    outside: nothing,
    whole: nothing,
  };
  assert.equal(firstWeight([modules]).key, 'device');
  assert.equal(firstWeight([onHost]).key, 'host');
  const columns = moduleColumns(onHost, ['']).map(({ name }) => name);
  assert.deepEqual(
    columns.filter((name) => /GPU|Launches|Kernels|Copie/.test(name)),
    [],
  );
  assert.ok(!factsOf(onHost, 0).some(([name]) => /GPU|launches|kernels|copies/.test(name)));
});
