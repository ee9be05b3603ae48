import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detailText } from '../src/timeline/detail_text.ts';
import { labelText } from '../src/timeline/label_text.ts';

const cut = (label: string, width: number): string => labelText(label, width, (text) => text.length);

test('what fits is whole', () => {
  assert.equal(cut('Process 12 /usr/bin/python', 26), 'Process 12 /usr/bin/python');
});

test('number and name are both there where there is little room', () => {
  const process = 'Process 68778 ../samples/bin/x86_64/linux/release/fluidsGL';
  assert.equal(cut(process, 30), 'Process 68778 fluidsGL');
  assert.equal(cut(process, 21), 'Process 68778 flu…sGL');
  assert.equal(cut(process, 16), '68778 fluidsGL');
  assert.equal(cut(process, 10), '68778…dsGL');
  assert.equal(cut('Thread 68829 cuda0000740001e', 21), 'Thread 68829 cuda…01e');
});

test('of joined headings the innermost counts most', () => {
  const label = 'Process 1234 python › Thread 1235 worker';
  assert.equal(cut(label, 36), '1234 python › Thread 1235 worker');
  assert.equal(cut(label, 20), 'Thread 1235 worker');
});

test('a cut never exceeds its room', () => {
  for (const label of ['DRAM Bandwidth [Throughput %]', 'GPU 0 NVIDIA H100 80GB HBM3', 'a › b › Thread 7 x'])
    for (let width = 2; width < 40; ++width) assert.ok(cut(label, width).length <= width, `${label} in ${width}`);
});

test('details carry their unit', () => {
  assert.deepEqual(detailText('shared memory, bytes', '98304'), ['shared memory', '98,304\u202fB']);
  assert.deepEqual(detailText('grid', '24 x 4 x 1'), ['grid', '24 x 4 x 1']);
  assert.deepEqual(detailText('bytes', '5'), ['bytes', '5']);
});
