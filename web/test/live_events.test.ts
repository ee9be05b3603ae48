import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventParser, type StreamEvent } from '../src/live/api/event_parser.ts';
import { followEvents, pauseBefore } from '../src/live/api/event_stream.ts';
import { ApiProblem } from '../src/live/api/problem.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Events of a text that comes in pieces. */
function eventsOf(...pieces: Uint8Array[]): StreamEvent[] {
  const parser = new EventParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

const kStream =
  ': welcome\n\nid: 7\nevent: samples\ndata: {"a":\ndata:  "ü€😀"}\n\n' +
  'event: reset\r\ndata: {}\r\n\r\ndata\rdata: x\r\rid: 9\nretry: 250\ndata: no name\n\nevent: lost\n\n: end\n\n';
const kExpected: StreamEvent[] = [
  { type: 'samples', data: '{"a":\n "ü€😀"}', id: '7' },
  { type: 'reset', data: '{}', id: '7' },
  { type: 'message', data: '\nx', id: '7' },
  { type: 'message', data: 'no name', id: '9' },
];

test('events are the same wherever the stream is split', () => {
  const whole = bytes(kStream);
  assert.deepEqual(eventsOf(whole), kExpected);
  for (let i = 0; i <= whole.length; ++i)
    assert.deepEqual(eventsOf(whole.subarray(0, i), whole.subarray(i)), kExpected, `split at ${i}`);
  assert.deepEqual(eventsOf(...Array.from(whole, (byte) => Uint8Array.of(byte))), kExpected, 'byte by byte');
  for (const size of [2, 3, 5, 7]) {
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) =>
      whole.subarray(i * size, (i + 1) * size),
    );
    assert.deepEqual(eventsOf(...pieces), kExpected, `pieces of ${size}`);
  }
});

test('an event that did not end is none, nor one without data', () => {
  assert.deepEqual(eventsOf(bytes('data: a\n')), []);
  assert.deepEqual(eventsOf(bytes('event: x\nid: 3\n\n')), []);
});

test('a byte order mark at the start is left out; ids with NUL and odd retries are ignored', () => {
  const parser = new EventParser();
  assert.deepEqual(parser.push(bytes('\ufeffid: 4\nid: a\0b\nretry: soon\nunknown: x\ndata:  two\n\n')), [
    { type: 'message', data: ' two', id: '4' },
  ]);
  assert.equal(parser.retry, null);
  assert.equal(parser.lastId, '4');
  parser.push(bytes('id\nretry: 30\ndata\n\n'));
  assert.equal(parser.lastId, '', 'an id without a value forgets the one before');
  assert.equal(parser.retry, 30);
});

test('pauses double up to half a minute', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 40].map((attempt) => pauseBefore(attempt, 1));
  assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  assert.equal(pauseBefore(3, 0), 2000);
  assert.equal(pauseBefore(1, 1, 250), 250);
});

const streamOf = (...pieces: string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(bytes(piece));
      controller.close();
    },
  });

/** Follows these connections, one after the other; ends at the last. */
async function followed(...connections: (ReadableStream<Uint8Array> | Error)[]) {
  const ends = new AbortController();
  const seen = { ids: [] as string[], types: [] as string[], pauses: [] as (number | null)[], opened: 0 };
  await followEvents(
    {
      open: (lastId) => {
        const next = connections.shift();
        seen.ids.push(lastId);
        if (next instanceof Error) return Promise.reject(next);
        return Promise.resolve(next!);
      },
      onOpen: () => ++seen.opened,
      onBytes: () => undefined,
      onEvent: ({ type }) => seen.types.push(type),
      onBroken: (_, pause) => seen.pauses.push(pause),
      wait: () => {
        if (connections.length === 0) ends.abort();
        return Promise.resolve();
      },
      random: () => 1,
    },
    ends.signal,
  );
  return seen;
}

test('a stream that breaks goes on after the last event, with growing pauses until one comes', async () => {
  const gone = new ApiProblem(0, '', '');
  const seen = await followed(
    streamOf('id: 5\nevent: samples\ndata: 1\n\n'),
    gone,
    new ApiProblem(503, '', ''),
    streamOf(': nothing yet\n\n'),
    streamOf('event: reset\ndata: {}\n\nid: 8\nevent: samples\ndata: 2\n\n'),
    gone,
  );
  assert.deepEqual(seen.ids, ['', '5', '5', '5', '5', '8']);
  assert.deepEqual(seen.types, ['samples', 'reset', 'samples']);
  assert.deepEqual(seen.pauses, [1000, 2000, 4000, 8000, 1000, 2000]);
  assert.equal(seen.opened, 3);
});

test('the server says how long to wait', async () => {
  const seen = await followed(streamOf('retry: 200\n\n'), new ApiProblem(429, '', ''));
  assert.deepEqual(seen.pauses, [200, 400]);
});

test('a key that is refused is not tried again', async () => {
  for (const status of [401, 403]) {
    const seen = await followed(new ApiProblem(status, '', ''), streamOf('data: never\n\n'));
    assert.deepEqual(seen.pauses, [null]);
    assert.deepEqual(seen.types, []);
  }
});
