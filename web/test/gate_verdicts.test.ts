import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GateCheck } from '../src/data/format.ts';
import { partsOf } from '../src/page/parts.tsx';
import {
  amountText,
  chanceText,
  changeOfTime,
  changeText,
  intervalText,
  orderedChecks,
  sideText,
  wordOfCheck,
} from '../src/gate/verdicts.ts';

const thin = '\u202f';
const checkOf = (outcome: GateCheck['outcome'], severity: 'error' | 'warning' = 'error'): GateCheck => ({
  rule: { name: 'step_time', line: 4, metric: 'step_time', severity },
  subject: `${outcome} ${severity}`,
  outcome,
  says: 'why',
  ratio_interval: null,
  p: null,
});

test('what decides stands first, and what passes apart', () => {
  const { open, passing } = orderedChecks([
    checkOf('pass'),
    checkOf('inconclusive', 'warning'),
    checkOf('inconclusive'),
    checkOf('not_comparable', 'warning'),
    checkOf('fail', 'warning'),
    checkOf('not_comparable'),
    checkOf('fail'),
  ]);
  assert.deepEqual(
    open.map(({ subject }) => subject),
    [
      'fail error',
      'not_comparable error',
      'fail warning',
      'not_comparable warning',
      'inconclusive error',
      'inconclusive warning',
    ],
  );
  assert.equal(passing.length, 1);
});

test('a fail that only warns is called so', () => {
  assert.equal(wordOfCheck(checkOf('fail', 'warning')), 'warning');
  assert.equal(wordOfCheck(checkOf('fail')), 'fail');
  assert.equal(wordOfCheck(checkOf('not_comparable', 'warning')), 'not comparable');
});

test('figures are in their own unit, and what is not known is no zero', () => {
  const time = { ...checkOf('fail'), base_ns: 100_000, new_ns: 118_000 };
  assert.equal(amountText(time, 'base'), `100${thin}µs`);
  assert.equal(changeText(time), `+18.0${thin}%`);
  assert.equal(amountText({ ...checkOf('fail'), base: 1200, new: 1232.5 }, 'new'), '1,232.5');
  assert.equal(amountText({ ...checkOf('fail'), base_bytes: 2_880_000, new_bytes: null }, 'new'), '–');
  assert.equal(amountText({ ...checkOf('fail'), base_percent: 62.5, new_percent: 62.5 }, 'new'), `62.5${thin}%`);
  assert.equal(changeText({ ...checkOf('fail'), base: 0, new: 3 }), '–');
  assert.equal(changeText({ ...checkOf('fail'), base: null, new: 3 }), '–');
});

test('an interval without an end says so', () => {
  const withInterval = (low: number | null, high: number | null) =>
    intervalText({ ...checkOf('fail'), ratio_interval: { low, high, confidence: 0.95 } });
  assert.equal(withInterval(1.15, 1.21), `+15.0 to +21.0${thin}%`);
  assert.equal(withInterval(0, 1.21), `– to +21.0${thin}%`);
  assert.equal(withInterval(0, null), '–');
  assert.equal(intervalText(checkOf('fail')), '–');
});

test('small chances are not rounded away', () => {
  assert.equal(chanceText({ ...checkOf('fail'), p: 0.004 }), '0.004');
  assert.equal(chanceText({ ...checkOf('fail'), p: 0.00001 }), '1e-5');
  assert.equal(chanceText({ ...checkOf('fail'), p: 1 }), '1');
  assert.equal(chanceText(checkOf('fail')), '–');
});

test('times and sides', () => {
  assert.equal(changeOfTime(6_100_000), `+6.10${thin}ms`);
  assert.equal(changeOfTime(-6_100_000), `-6.10${thin}ms`);
  assert.equal(sideText({ label: 'main', sources: ['a'], conditions: {} }), '1 run of main');
  assert.equal(sideText({ label: null, sources: ['a', 'b'], conditions: {} }), '2 runs');
});

test('only a page that the gate wrote has the verdict', () => {
  const ids = (report: Parameters<typeof partsOf>[0]) => partsOf(report).map(({ id }) => id);
  assert.ok(!ids({}).includes('verdict'));
  assert.equal(ids({ gate: { id: 'b0', bytes: 2 } })[0], 'verdict');
});
