import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allNodes,
  arranged,
  kAsRecorded,
  kPinned,
  labelOf,
  withHidden,
  withMove,
  withPin,
} from '../src/timeline/arrangement.ts';
import type { Node } from '../src/timeline/layout.ts';

const track = (key: string): Node => ({ type: 'track', key, profile: 0, track: { label: key } }) as unknown as Node;
const group = (key: string, ...children: Node[]): Node => ({ type: 'group', key, label: key, children });
const nodes = [group('gpu', track('a'), track('b'), track('c')), group('host', track('d'))];
const keys = (shown: readonly Node[]) => allNodes(shown).map(({ key }) => key);

test('nothing done: as recorded', () => assert.deepEqual(keys(arranged(nodes, kAsRecorded)), keys(nodes)));

test('pinned rows are on top, known by all above them, and nowhere else', () => {
  const shown = arranged(nodes, withPin(withPin(kAsRecorded, 'd'), 'b'));
  assert.deepEqual(keys(shown), [kPinned, 'd', 'b', 'gpu', 'a', 'c']);
  assert.equal(labelOf(allNodes(shown)[2]!), 'gpu › b');
});

test('a heading with nothing left is not shown', () =>
  assert.deepEqual(keys(arranged(nodes, withHidden(kAsRecorded, 'd'))), ['gpu', 'a', 'b', 'c']));

test('rows move among those of their heading, over what is hidden', () => {
  const down = withMove(nodes, withHidden(kAsRecorded, 'b'), 'a', 1);
  assert.deepEqual(keys(arranged(nodes, withHidden(down, 'b'))), ['gpu', 'c', 'b', 'a', 'host', 'd']);
  assert.deepEqual(keys(arranged(nodes, withMove(nodes, kAsRecorded, 'a', -1))), keys(nodes));
  const last = withMove(nodes, kAsRecorded, 'host', -1);
  assert.deepEqual(keys(arranged(nodes, last)), ['host', 'd', 'gpu', 'a', 'b', 'c']);
});

test('pinned rows move among themselves', () => {
  const pinned = withPin(withPin(kAsRecorded, 'a'), 'd');
  assert.deepEqual(withMove(nodes, pinned, 'd', -1).pinned, ['d', 'a']);
});

test('what is hidden is not pinned, and the other way round', () => {
  const hidden = withHidden(withPin(kAsRecorded, 'a'), 'a');
  assert.deepEqual([hidden.pinned, [...hidden.hidden]], [[], ['a']]);
  assert.deepEqual([...withPin(hidden, 'a').hidden], []);
});
