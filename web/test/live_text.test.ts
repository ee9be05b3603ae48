import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiProblem, isExpired, isFinal, problemOf } from '../src/live/api/problem.ts';
import {
  duration,
  memory,
  moment,
  percent,
  powerOf,
  secondsOf,
  shortUuid,
  usedOf,
  watts,
  zoneText,
} from '../src/live/text/format.ts';
import { problemText } from '../src/live/text/problem_text.ts';
import { clockReasons } from '../src/live/text/throttle.ts';
import { valueMeaning, valueText, valueTitle } from '../src/live/text/values.ts';
import { connectionText } from '../src/live/views/live_header.tsx';
import { metricsOf } from '../src/live/views/gpu_metrics.tsx';
import { processColumns } from '../src/live/views/process_columns.ts';
import { strategiesOf } from '../src/live/views/config_form.tsx';
import { timeTicks, timeTickText } from '../src/live/views/time_axis.ts';
import { kAbsent } from '../src/text/units.ts';
import { gpu } from './live_sample.ts';

const plain = (text: string): string => text.replaceAll('\u202f', ' ');

test('amounts have units, and unknown ones are no zero', () => {
  assert.equal(plain(percent(99.6)), '100 %');
  assert.equal(plain(watts(612_400)), '612 W');
  assert.equal(plain(memory(80 * 2 ** 30)), '80 GiB');
  assert.equal(plain(memory(1.5 * 2 ** 40)), '1.5 TiB');
  assert.equal(plain(memory(3 * 2 ** 20)), '3 MiB');
  assert.equal(plain(usedOf(12.34 * 2 ** 30, 80 * 2 ** 30)), '12.3 / 80 GiB');
  assert.equal(plain(usedOf(null, 80 * 2 ** 30)), `${kAbsent} / 80 GiB`);
  assert.equal(plain(powerOf(612_400, 700_000)), '612 / 700 W');
  assert.equal(plain(powerOf(null, 700_000)), `${kAbsent} / 700 W`);
  for (const text of [percent, watts, memory, duration]) {
    for (const unknown of [null, undefined, Number.NaN]) assert.equal(text(unknown), kAbsent);
  }
  assert.equal(usedOf(null, null), kAbsent);
  assert.equal(powerOf(null, null), kAbsent);
});

test('durations take two units at most', () => {
  const texts = [0, 12.4, 99, 100, 3600, 7500, 86_400, 200_000, 8_640_000].map((seconds) => plain(duration(seconds)));
  assert.deepEqual(texts, ['0 s', '12 s', '99 s', '2 min', '60 min', '2 h 5 min', '24 h', '2 d 7 h', '100 d']);
});

test('moments are local, with their zone', () => {
  const here = new Date(2026, 10, 22, 14, 3, 11);
  assert.equal(moment(here.toISOString()), '2026-11-22 14:03:11');
  assert.equal(moment(null), kAbsent);
  assert.equal(moment('soon'), kAbsent);
  assert.equal(secondsOf('1970-01-01T00:01:00.500Z'), 60.5);
  assert.equal(secondsOf(null), null);
  assert.match(zoneText(here), /UTC[+−]\d\d:\d\d$/);
  assert.equal(shortUuid('GPU-12345678-1111'), 'GPU-12345678…');
});

test('the two bits that are no throttling are not told as such', () => {
  assert.deepEqual(clockReasons(0), { throttling: [], others: [] });
  assert.deepEqual(clockReasons(0x3)!.throttling, []);
  assert.deepEqual(clockReasons(0x3)!.others.length, 2);
  assert.deepEqual(clockReasons(0x4)!.throttling, ['SW power cap']);
  assert.deepEqual(clockReasons(0x48)!.throttling, ['HW thermal slowdown'], 'the slowdown is told by its cause');
  assert.deepEqual(clockReasons(0x8)!.throttling, ['HW slowdown']);
  assert.deepEqual(clockReasons(0x404)!.throttling, ['SW power cap', 'other reason 0x400']);
  assert.equal(clockReasons(null), null);
});

test('values are named and written by what their names say', () => {
  assert.equal(valueTitle('gpu_utilization_percent'), 'GPU utilization');
  assert.equal(valueTitle('ecc_uncorrected_volatile_total'), 'ECC uncorrected volatile total');
  assert.equal(plain(valueText('power_draw_milliwatts', 70_000)), '70 W');
  assert.equal(plain(valueText('memory_used_bytes', 0)), '0 B');
  assert.equal(plain(valueText('sw_power_cap_ns', 2.5e9)), '2.5 s');
  assert.equal(plain(valueText('pcie_tx_kbytes_per_s', 1_500_000)), '1,500 MB/s');
  assert.equal(valueText('clocks_event_reasons', 0x44), '0x0000000000000044');
  assert.equal(valueText('compute_capability', 900), '9.0');
  assert.equal(valueText('compute_capability', '9.0'), '9.0');
  assert.equal(valueText('ecc_mode', false), 'no');
  assert.equal(valueText('serial', ''), kAbsent);
  assert.equal(valueText('fan_speed_percent', null), kAbsent);
  assert.equal(valueText('anything', undefined), kAbsent);
  assert.equal(valueMeaning('memory_used_bytes'), 'memory used by processes', 'from src/device/values.inc');
  assert.equal(valueMeaning('no_such_value'), '');
});

test('problems are told in words', async () => {
  assert.match(problemText(new ApiProblem(0, '', '')), /cannot be reached/);
  assert.match(problemText(new ApiProblem(401, 'Unauthorized', 'x')), /wrong, revoked or expired/);
  assert.equal(problemText(new ApiProblem(403, 'Needs admin', 'Use another key')), 'Needs admin. Use another key.');
  assert.match(problemText(new ApiProblem(429, '', '', 3)), /Too many requests.*Try again in 3 s/);
  assert.match(problemText(new ApiProblem(503, '', '')), /not ready/);
  assert.match(problemText(new ApiProblem(418, '', '')), /418/);
  assert.ok(isExpired(new ApiProblem(401, '', '')) && !isExpired(new ApiProblem(403, '', '')));
  assert.ok(isFinal(new ApiProblem(403, '', '')) && !isFinal(new ApiProblem(503, '', '')) && !isFinal(null));
  const body = JSON.stringify({ title: 'No', detail: 5 });
  const read = await problemOf(new Response(body, { status: 429, headers: { 'Retry-After': '12' } }));
  assert.deepEqual([read.status, read.title, read.detail, read.retryAfter], [429, 'No', '', 12]);
  const html = await problemOf(new Response('<html>', { status: 502 }));
  assert.deepEqual([html.status, html.title, html.retryAfter], [502, '', null]);
  for (const odd of ['null', '[]', '"x"'])
    assert.equal((await problemOf(new Response(odd, { status: 500 }))).title, '');
});

test('the connection says how old the last sample is', () => {
  assert.deepEqual(connectionText('connecting', null), ['connecting', 'connecting…']);
  assert.deepEqual(connectionText('live', 5), ['live', 'live']);
  assert.equal(connectionText('live', 300)[0], 'stale');
  assert.equal(plain(connectionText('live', 300)[1]), 'stale: last sample 5 min ago');
  assert.equal(plain(connectionText('reconnecting', 12)[1]), 'reconnecting… last sample 12 s ago');
  assert.equal(connectionText('reconnecting', null)[1], 'reconnecting…');
});

test('a bar stands for a known share only', () => {
  const [utilization, memoryUse, heat, power] = metricsOf(
    gpu(0, { values: { gpu_utilization_percent: 250, memory_used_bytes: 1 } }),
  );
  assert.deepEqual([utilization!.share, memoryUse!.share, heat!.share, power!.share], [1, null, null, null]);
  assert.equal(power!.now, kAbsent);
});

test('processes: dead ones first, absent columns left out, hostile names as they are', () => {
  const process = (pid: number, more = {}) => ({
    pid,
    name: '<img src=x>',
    kind: 'compute' as const,
    memory_used_bytes: null,
    alive: true,
    user: null,
    command: null,
    container: null,
    pod: null,
    unit: null,
    started: null,
    ...more,
  });
  const some = gpu(0, { processes: [process(1, { memory_used_bytes: 5 }), process(2), process(3, { alive: false })] });
  const { rows, columns, dead } = processColumns([some, gpu(1, { processes: null })]);
  assert.deepEqual(
    rows.map((row) => row.process.pid),
    [3, 1, 2],
  );
  assert.equal(dead, 1);
  const names = columns.map(({ name }) => name);
  assert.ok(!names.includes('Pod') && !names.includes('Started') && names.includes('User'));
  assert.deepEqual(columns[names.indexOf('Name')]!.values[0], '<img src=x>');
  assert.deepEqual(columns[names.indexOf('Memory (GiB)')]!.values, [null, 5 / 2 ** 30, null]);
});

test('the strategy in force may be chosen even where it is not listed', () => {
  const key = (name: string, value: unknown) => ({
    key: `gpu.multi_gpu.${name}`,
    value,
    origin: 'file',
    line: 1,
    needs_restart: false,
    waits_for_restart: false,
  });
  const config = { file: '', keys: [key('strategies', ['a', 'b']), key('default_strategy', 'c')] };
  assert.deepEqual(strategiesOf(config), ['c', 'a', 'b']);
  assert.deepEqual(strategiesOf({ file: '', keys: [] }), []);
});

test('ticks of time are whole minutes, hours and local midnights', () => {
  const noon = new Date(2026, 10, 22, 12, 0, 30).getTime() / 1000;
  const minutes = timeTicks(noon, noon + 900, 5);
  assert.ok(minutes.length >= 3 && minutes.length <= 5, minutes.join());
  for (const tick of minutes) assert.match(timeTickText(tick, 900), /^12:\d[05]$/);
  for (const tick of timeTicks(noon, noon + 7 * 86_400, 7)) {
    assert.equal(new Date(tick * 1000).getHours(), 0);
    assert.match(timeTickText(tick, 7 * 86_400), /^11-2\d$/);
  }
  assert.deepEqual(timeTicks(5, 5, 4), [5]);
});
