import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { History, Waste, WasteEntry } from '../src/live/api/types.ts';
import { applyIncident, applySamples, needsReload, withIncident, worstFirst } from '../src/live/state/host_state.ts';
import { mayBeKey } from '../src/live/state/key_store.ts';
import { sparkOfHistory, withHistory, withSamples, type Sparks } from '../src/live/state/sparks.ts';
import { Store } from '../src/live/state/store.ts';
import { wasteByKind, wasteRows } from '../src/live/state/waste_sums.ts';
import { hashOfGpu, placeOfHash } from '../src/live/place.ts';
import { passes } from '../src/live/views/incidents_view.tsx';
import { mayDo } from '../src/live/views/incident_list.tsx';
import { gpu, host, incident, sample } from './live_sample.ts';

test('a round of samples changes what it tells and keeps the rest', () => {
  const before = host(gpu(0), gpu(1));
  const after = applySamples(before, { moment: '2026-11-22T04:00:10.000Z', gpus: [sample(0)] });
  assert.equal(after.moment, '2026-11-22T04:00:10.000Z');
  assert.deepEqual(after.gpus[0]!.values, {
    gpu_utilization_percent: 50,
    sm_clock_mhz: 1980,
    memory_used_bytes: 2 ** 30,
    memory_total_bytes: 2 ** 33,
    temperature_celsius: 60,
    power_draw_milliwatts: 300_500,
  });
  assert.equal(after.gpus[0]!.moment, '2026-11-22T04:00:10.000Z');
  assert.equal(after.gpus[1], before.gpus[1]);
});

test('what is not known stays unknown, and an old value keeps its moment', () => {
  const samples = {
    moment: '2026-11-22T04:00:10.000Z',
    gpus: [sample(0, { quality: 'absent', utilization_percent: null, power_watts: null })],
  };
  const [after] = applySamples(host(gpu(0)), samples).gpus;
  assert.equal(after!.values['gpu_utilization_percent'], null);
  assert.equal(after!.values['power_draw_milliwatts'], null);
  assert.equal(after!.moment, '2026-11-22T04:00:00.000Z');
});

test('a mark that changes, and a GPU that comes or goes, are asked for', () => {
  const known = host(gpu(0));
  const moment = '2026-11-22T04:00:10.000Z';
  assert.equal(needsReload(known, { moment, gpus: [sample(0)] }), false);
  assert.equal(needsReload(known, { moment, gpus: [sample(0, { health: 'critical' })] }), true);
  assert.equal(needsReload(known, { moment, gpus: [sample(0, { quality: 'stale' })] }), true);
  assert.equal(needsReload(known, { moment, gpus: [sample(0), sample(1)] }), true);
  assert.equal(needsReload(known, { moment, gpus: [sample(3)] }), true);
  assert.equal(needsReload(known, { moment, gpus: [] }), true);
});

test('open incidents follow their changes', () => {
  let open = applyIncident([], { change: 'opened', incident: incident(1) });
  open = applyIncident(open, { change: 'opened', incident: incident(2, { severity: 'critical' }) });
  assert.deepEqual(
    open.map(({ id }) => id),
    [2, 1],
  );
  open = applyIncident(open, { change: 'acknowledged', incident: incident(1, { acknowledged_by: 'bob' }) });
  assert.deepEqual(
    open.map(({ acknowledged_by: by }) => by),
    [null, 'bob'],
  );
  open = applyIncident(open, { change: 'cleared', incident: incident(2, { cleared: '2026-11-22T05:00:00.000Z' }) });
  assert.deepEqual(
    open.map(({ id }) => id),
    [1],
  );
  assert.deepEqual(
    withIncident(open, incident(9)).map(({ id }) => id),
    [9, 1],
  );
  const mixed = [incident(5, { severity: 'info' }), incident(4), incident(1, { severity: 'critical' }), incident(6)];
  assert.deepEqual(
    mixed.sort(worstFirst).map(({ id }) => id),
    [1, 6, 4, 5],
  );
});

const history = (moments: number[], mean: (number | null)[]): History => ({
  gpu: 'GPU-0',
  resolution_seconds: 10,
  moments,
  series: [{ value: 'gpu_utilization_percent', unit: 'percent', minimum: mean, mean, maximum: mean }],
});
const at = (seconds: number): string => new Date(seconds * 1000).toISOString();

test('small pictures join history and samples, without what is older than 15 minutes', () => {
  let sparks: Sparks = new Map();
  const take = (seconds: number, percent: number | null) => {
    sparks = withSamples(sparks, { moment: at(seconds), gpus: [sample(0, { utilization_percent: percent })] });
  };
  take(1000, 1);
  take(1010, 2);
  sparks = withHistory(sparks, 'GPU-0', history([980, 990, 1000], [7, null, 9]));
  assert.deepEqual(sparks.get('GPU-0')!.at, [980, 990, 1000, 1010]);
  assert.deepEqual(sparks.get('GPU-0')!.utilization, [7, null, 9, 2]);
  assert.deepEqual(sparks.get('GPU-0')!.temperature, [null, null, null, 60]);
  take(1890, null);
  assert.deepEqual(sparks.get('GPU-0')!.at, [990, 1000, 1010, 1890]);
  assert.deepEqual(sparks.get('GPU-0')!.utilization, [null, 9, 2, null]);
  take(1880, 5);
  assert.equal(sparks.get('GPU-0')!.at.at(-1), 1890, 'what comes late is left out');
});

test('samples a second apart do not fill the memory', () => {
  let sparks: Sparks = new Map();
  for (let second = 0; second < 4000; ++second)
    sparks = withSamples(sparks, { moment: at(second + 1), gpus: [sample(0)] });
  const spark = sparks.get('GPU-0')!;
  assert.ok(spark.at.length <= 185, `${spark.at.length} points`);
  assert.ok(spark.at.every((moment, i) => i === 0 || moment > spark.at[i - 1]!));
  assert.equal(spark.at.at(-1), 4000);
  assert.ok(spark.at[0]! <= 3110 && spark.at[0]! >= 3100);
});

test('values of a GPU that does not answer are gaps', () => {
  const samples = { moment: at(5), gpus: [sample(0, { quality: 'absent' })] };
  const spark = withSamples(new Map(), samples).get('GPU-0')!;
  assert.deepEqual([spark.utilization, spark.power], [[null], [null]]);
  assert.deepEqual(sparkOfHistory(history([1, 2], [3])).utilization, [3, null]);
});

const waste = (kind: WasteEntry['kind'], hours: number, more: Partial<WasteEntry> = {}): WasteEntry => ({
  gpu_uuid: 'GPU-0',
  kind,
  user: 'alice',
  container: null,
  hours,
  energy_kwh: hours / 10,
  money: null,
  since: null,
  until: null,
  ...more,
});

test('waste adds up over GPUs by day, kind and user', () => {
  const ledger: Waste = {
    currency: 'EUR',
    priced: false,
    days: [
      { day: '2026-11-21', entries: [waste('unused', 4, { user: null })] },
      {
        day: '2026-11-22',
        entries: [
          waste('held_idle', 1),
          waste('held_idle', 2, { gpu_uuid: 'GPU-1', energy_kwh: null }),
          waste('held_idle', 5, { user: 'bob' }),
          waste('unused', 8, { user: '' }),
        ],
      },
    ],
  };
  const rows = wasteRows(ledger).map(({ day, kind, user, gpus, hours, energy_kwh, money }) =>
    [day.slice(8), kind, user, gpus, hours, energy_kwh, money].join(),
  );
  assert.deepEqual(rows, [
    '22,unused,,1,8,0.8,',
    '22,held_idle,bob,1,5,0.5,',
    '22,held_idle,alice,2,3,0.1,',
    '21,unused,,1,4,0.4,',
  ]);
  const kinds = wasteByKind(ledger);
  assert.deepEqual(
    kinds.map(({ kind, hours, gpus }) => [kind, hours, gpus]),
    [
      ['unused', 12, 1],
      ['held_idle', 8, 2],
    ],
  );
  assert.equal(kinds[0]!.money, null, 'unknown is not zero');
});

test('addresses lead to parts and GPUs; others to the GPUs', () => {
  assert.deepEqual(placeOfHash('#incidents'), { part: 'incidents', detail: null });
  assert.deepEqual(placeOfHash(hashOfGpu('GPU-a/b c%')), { part: 'gpus', detail: 'GPU-a/b c%' });
  assert.deepEqual(placeOfHash('#gpus/%'), { part: 'gpus', detail: '%' });
  assert.deepEqual(placeOfHash('#nonsense'), { part: 'gpus', detail: null });
  assert.deepEqual(placeOfHash(''), { part: 'gpus', detail: null });
});

test('stores tell each change once, and not who has left', () => {
  const store = new Store(1);
  const told: number[] = [];
  const leave = store.subscribe((value) => told.push(value));
  store.set(1);
  store.set(2);
  leave();
  store.set(3);
  assert.deepEqual(told, [2]);
  assert.equal(store.get(), 3);
});

test('roles may do what those below them may', () => {
  assert.deepEqual(
    (['none', 'read', 'submit', 'admin'] as const).map((role) => mayDo(role, 'submit')),
    [false, false, true, true],
  );
});

test('a filter of incidents is met in all its parts', () => {
  const hot = incident(1, { xids: [79, 45], summary: 'GPU 0 is hot' });
  const all = { severity: 'all', gpu: 'all', text: '' };
  assert.ok(passes(hot, all));
  assert.ok(passes(hot, { severity: 'warning', gpu: 'GPU-0', text: ' HOT' }));
  assert.ok(passes(hot, { ...all, text: 'xid 79' }));
  assert.ok(!passes(hot, { ...all, severity: 'critical' }));
  assert.ok(!passes(hot, { ...all, gpu: 'GPU-1' }));
  assert.ok(!passes(hot, { ...all, text: 'cold' }));
});

test('keys are what a header can hold', () => {
  assert.ok(mayBeKey('sonde_0123abcd_AbC-_9'));
  for (const text of ['', 'a b', 'ключ', 'a\nb', '<b>']) assert.ok(!mayBeKey(text), text);
});
