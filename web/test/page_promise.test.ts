import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remember } from '../src/page/use_promise.ts';

test('what fails is told, not thrown', async () => {
  const error = new Error('cut off');
  assert.deepEqual(await remember(Promise.reject(error)), { state: 'failed', error });
});

test('a promise is followed once', async () => {
  const promise = Promise.resolve(7);
  assert.equal(remember(promise), remember(promise));
  assert.deepEqual(await remember(promise), { state: 'done', value: 7 });
});
