import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timelineDetail, timelineState } from '../src/timeline/address.ts';

test('what the address says is what was written', () => {
  const state = {
    view: { start: -10, end: 2_000_000 },
    toggled: [3, 17],
    selected: { profile: 1, track: 12, slice: 345 },
  };
  assert.equal(timelineDetail(state), 'view--10-2000000/rows-3.17/slice-1-12-345');
  assert.deepEqual(timelineState(timelineDetail(state)), state);
  const little = { view: { start: 0, end: 5 }, toggled: [], selected: null };
  assert.deepEqual(timelineState(timelineDetail(little)), little);
});

test('what cannot be read is left out', () => {
  for (const text of ['', 'evidence-0-0-0', 'view-', 'view-1', 'rows-', 'rows-1.', 'slice-1-2', 'view-1e9-2e9'])
    assert.equal(timelineState(text), null, text);
  assert.deepEqual(timelineState('view-9-3'), { view: null, toggled: [], selected: null });
});
