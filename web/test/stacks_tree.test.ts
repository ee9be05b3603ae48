import assert from 'node:assert/strict';
import { test } from 'node:test';
import { functionSums, inverted, kSamples, namesOf } from '../src/stacks/stack_tree.ts';
import { treeOf, widthsOf } from '../src/modules/module_tree.ts';

/** main calls work, which calls itself once, and wait; two threads. */
const tree = {
  title: 'CPU samples',
  samples: 10,
  name: ['Thread 1', 'main', 'work', 'work', 'wait', 'Thread 2', 'wait'],
  file: ['', 'a.out', 'a.out', 'a.out', 'libc.so', '', 'libc.so'],
  parent: [-1, 0, 1, 2, 1, -1, 5],
  self: [0, 1, 3, 2, 1, 0, 3],
  total: [7, 7, 5, 2, 1, 3, 3],
};

test('widths are samples, those of callees within those of callers', () => {
  const widths = widthsOf(treeOf(namesOf(tree)), kSamples);
  assert.equal(widths.whole, tree.samples);
  assert.deepEqual([...widths.of], tree.total);
});

test('inverted: from sampled functions to their callers, with the same samples', () => {
  const turned = inverted(tree);
  const tops = turned.name.flatMap((name, row) => (turned.parent[row] === -1 ? [[name, turned.total[row]]] : []));
  assert.deepEqual(tops, [
    ['main', 1],
    ['work', 5],
    ['wait', 4],
  ]);
  const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
  assert.equal(sum(turned.self), sum(tree.self));
  assert.equal(widthsOf(treeOf(namesOf(turned)), kSamples).whole, tree.samples);
});

test('a function within itself counts once; threads are no functions', () => {
  assert.deepEqual(functionSums(tree), [
    { name: 'work', file: 'a.out', self: 5, total: 5 },
    { name: 'wait', file: 'libc.so', self: 4, total: 4 },
    { name: 'main', file: 'a.out', self: 1, total: 7 },
  ]);
});
