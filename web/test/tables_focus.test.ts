import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableColumn } from '../src/data/format.ts';
import { focusOfRow } from '../src/tables/row_focus.ts';

const column = (name: string, value: number | string | null): TableColumn => ({
  name,
  unit: 'none',
  decimals: 0,
  values: [value],
});

const focus = (...columns: [string, number | string | null][]) =>
  focusOfRow({ columns: columns.map(([name, value]) => column(name, value)) }, 1);

test('a row that is an event leads to its place', () => {
  const found = focus(['Start (ns)', 5], ['Duration (ns)', 7], ['Device', 'H100 (3)'], ['Name', 'gemm'])!(0);
  assert.deepEqual(found, { profile: 1, start_ns: 5, end_ns: 12, place: 'GPU 3', what: 'gemm' });
});

test('a call leads to its thread', () => {
  const found = focus(['Start (ns)', 5], ['Duration (ns)', 7], ['Tid', 42], ['Name', 'cudaFree'])!(0);
  assert.equal(found?.place, 'thread 42');
});

test('kernels with their calls lead to the kernel', () => {
  const found = focus(
    ['API Start (ns)', 1],
    ['API Dur (ns)', 2],
    ['Kernel Start (ns)', 10],
    ['Kernel Dur (ns)', 20],
    ['DevId', 0],
    ['API Function', 'cudaLaunchKernel'],
    ['Kernel Name', 'gemm'],
  )!(0);
  assert.deepEqual(found, { profile: 1, start_ns: 10, end_ns: 30, place: 'GPU 0', what: 'gemm' });
});

test('sums lead nowhere, nor does a row without a time', () => {
  assert.equal(focus(['Total Time (ns)', 5], ['Name', 'gemm']), undefined);
  assert.equal(focus(['Start (ns)', null], ['Duration (ns)', 7])!(0), undefined);
});
