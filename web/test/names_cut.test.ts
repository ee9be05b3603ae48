import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutMiddle } from '../src/text/names.ts';
import { hostile } from './sample_report.ts';

test('a name that fits is whole', () => {
  assert.equal(cutMiddle('gemm', 4), 'gemm');
  assert.equal(cutMiddle(hostile.quotes, 100), hostile.quotes);
});

test('a long one keeps both ends', () => {
  assert.equal(cutMiddle('abcdefghij', 5), 'ab…ij');
  assert.equal(cutMiddle('abcdefghij', 4), 'ab…j');
  assert.equal(cutMiddle('abcdefghij', 2), '…');
  assert.equal(cutMiddle('abcdefghij', 0), '');
  const cut = cutMiddle(hostile.long, 40);
  assert.equal(cut.length, 40);
  assert.ok(cut.startsWith('void cutlass') && cut.endsWith('(Params)'), cut);
});

test('an emoji of several parts is not cut', () => {
  const family = '👩‍👩‍👧‍👦';
  assert.equal(cutMiddle(family.repeat(6), 5), `${family.repeat(2)}…${family.repeat(2)}`);
  assert.equal(cutMiddle(family.repeat(4), 5), family.repeat(4));
});

test('characters that turn the line around are marked instead', () => {
  assert.ok(!/[\u202a-\u202e\u2066-\u2069]/.test(cutMiddle(hostile.rightToLeft, 100)));
  assert.equal(cutMiddle('a\u202eb', 9), 'a\ufffdb');
  assert.equal(cutMiddle(`\u2067${'x'.repeat(50)}`, 5), '\ufffdx…xx');
});
