import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kGpuTime, kNoModule, workFrames } from '../src/modules/module_work.ts';
import { treeOf, widthsOf } from '../src/modules/module_tree.ts';
import { inverted, namesOf } from '../src/stacks/stack_tree.ts';
import { sampleModules } from './sample_sections.ts';

const modules = sampleModules();
const self = modules.device_self_ns;
const work = {
  module: [...self.map((_, row) => row), -1],
  name: [...self.map((_, row) => row % 2), 0],
  count: [...self.map(() => 1), 1],
  device_ns: [...self, modules.outside.device_ns],
  names: ['void ns::gemm<float>(int)', 'relu'],
};

test('kernels lie below their modules and take all of their time', () => {
  const frames = workFrames(modules, work);
  const widths = widthsOf(treeOf(namesOf(frames)), kGpuTime);
  assert.equal(widths.whole, modules.whole.device_ns);
  assert.equal(frames.name.at(-1), 'gemm');
  assert.equal(frames.exact.get('gemm'), 'void ns::gemm<float>(int)');
  assert.equal(frames.name[frames.parent.at(-1)!], kNoModule);
});

test('inverted, kernels are at the top, with the same time', () => {
  const turned = inverted(workFrames(modules, work));
  const tops = turned.name.filter((_, row) => turned.parent[row] === -1);
  assert.deepEqual(tops.sort(), ['gemm', 'relu']);
  assert.equal(widthsOf(treeOf(namesOf(turned)), kGpuTime).whole, modules.whole.device_ns);
});
