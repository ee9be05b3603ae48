import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogPart, Queue, Task, TaskNews, TaskType } from '../src/live/api/tasks.ts';
import { ApiProblem } from '../src/live/api/problem.ts';
import { followLog, kLogPart } from '../src/live/state/log_follow.ts';
import {
  appended,
  kMostHeld,
  kNoLog,
  matchesOf,
  placesOf,
  prepended,
  readable,
  type LogText,
} from '../src/live/state/log_text.ts';
import { readRange, withWholeGap, type AskLog } from '../src/live/state/log_range.ts';
import { Paced, type Timers } from '../src/live/state/paced.ts';
import { applyTaskNews } from '../src/live/state/queue_state.ts';
import { TaskFeed } from '../src/live/state/task_feed.ts';
import { commandText, wordsOf } from '../src/live/text/words.ts';
import { hashOfList, hashOfTask, placeOfHash, tasksPlaceOf } from '../src/live/place.ts';
import { mayCancel } from '../src/live/views/tasks/cancel_button.tsx';
import { endText } from '../src/live/views/tasks/attempts_table.tsx';
import { scoreText, startText } from '../src/live/views/tasks/explanation_section.tsx';
import { kNoDraft, submissionOf } from '../src/live/views/tasks/submission.ts';
import { learnedText } from '../src/live/views/tasks/types_view.tsx';
import { waitingColumns } from '../src/live/views/tasks/task_columns.ts';
import { attempt, queue, task } from './live_task_sample.ts';

const plain = (text: string): string => text.replaceAll('\u202f', ' ');
const idsOf = (tasks: readonly Task[]): number[] => tasks.map(({ id }) => id);

/** Time that passes when the test says so. */
class FakeTimers implements Timers {
  at = 0;
  private waiting: { at: number; call: () => void }[] = [];
  now = () => this.at;
  after = (ms: number, call: () => void) => {
    const timer = { at: this.at + ms, call };
    this.waiting.push(timer);
    return timer;
  };
  clear = (timer: unknown) => {
    this.waiting = this.waiting.filter((one) => one !== timer);
  };
  async pass(ms: number): Promise<void> {
    this.at += ms;
    const due = this.waiting.filter(({ at }) => at <= this.at);
    this.waiting = this.waiting.filter(({ at }) => at > this.at);
    for (const { call } of due) call();
    await settled();
  }
}
const settled = () => new Promise((done) => setImmediate(done));

test('wishes are met at once, then with a pause, and many of them once', async () => {
  const timers = new FakeTimers();
  let done = 0;
  const paced = new Paced(() => void ++done, 100, timers);
  paced.wish();
  assert.equal(done, 1);
  await settled();
  for (let i = 0; i < 50; ++i) paced.wish();
  assert.equal(done, 1);
  await timers.pass(99);
  assert.equal(done, 1);
  await timers.pass(1);
  assert.equal(done, 2);
  paced.wish();
  paced.stop();
  await timers.pass(1000);
  assert.equal(done, 2, 'forgotten');
});

test('a job that takes long runs once at a time, and once more for what was wished meanwhile', async () => {
  const timers = new FakeTimers();
  const ends: (() => void)[] = [];
  const paced = new Paced(() => new Promise((end) => ends.push(end)), 10, timers);
  paced.wish();
  paced.wish();
  paced.wish();
  await timers.pass(100);
  assert.equal(ends.length, 1);
  ends[0]!();
  await settled();
  await timers.pass(10);
  assert.equal(ends.length, 2);
});

const told = (change: TaskNews['change'], one: Task): TaskNews => ({ change, task: one });

test('the queue follows what is told of tasks', () => {
  const before = queue({ waiting: [task(1), task(2), task(3, { priority: 'low' })], length: 3 });
  const { queue: after, isGuess } = applyTaskNews(before, [
    told('started', task(1, { state: 'running', attempts: [attempt()] })),
    told('submitted', task(4)),
    told('submitted', task(5, { priority: 'high' })),
    told('ended', task(2, { state: 'cancelled' })),
    told('submitted', task(6, { state: 'blocked' })),
  ]);
  assert.deepEqual(idsOf(after.waiting), [3, 4, 5]);
  assert.deepEqual(idsOf(after.running), [1]);
  assert.deepEqual([after.gpus[0]!.tasks, after.gpus[0]!.reserved_bytes], [1, 16 * 2 ** 30]);
  assert.ok(isGuess, 'where a new one stands only the service knows');
});

test('a task stands behind the last one of its priority until the service says more', () => {
  const before = queue({ waiting: [task(1, { priority: 'high' }), task(2), task(3, { priority: 'low' })] });
  const { queue: after } = applyTaskNews(before, [
    told('submitted', task(4)),
    told('ready', task(5, { priority: 'new' })),
  ]);
  assert.deepEqual(idsOf(after.waiting), [1, 2, 4, 3, 5]);
});

test('only the last word on a task counts, and a task that is retried waits again', () => {
  const before = queue({ running: [task(1, { state: 'running', attempts: [attempt()] })] });
  const ended = applyTaskNews(before, [
    told('cancelling', task(1, { state: 'running', cancelling: true })),
    told('ended', task(1, { state: 'cancelled' })),
  ]).queue;
  assert.deepEqual([ended.running, ended.waiting], [[], []]);
  assert.equal(ended.gpus[0]!.tasks, 0);
  const retried = applyTaskNews(before, [told('retried', task(1))]);
  assert.deepEqual([idsOf(retried.queue.running), idsOf(retried.queue.waiting)], [[], [1]]);
});

test('a task that runs keeps its GPUs where an event leaves them out', () => {
  const before = queue({ running: [task(1, { state: 'running', attempts: [attempt()] })] });
  const { attempts: _left, ...short } = task(1, { state: 'running', cancelling: true });
  const known = applyTaskNews(before, [told('cancelling', short)]);
  assert.deepEqual(known.queue.running[0]!.attempts, [attempt()]);
  assert.ok(!known.isGuess);
  const { attempts: _none, ...unknown } = task(2, { state: 'running' });
  const guessed = applyTaskNews(before, [told('started', unknown)]);
  assert.ok(guessed.isGuess);
  assert.equal(guessed.queue.gpus[0]!.tasks, before.gpus[0]!.tasks, 'counts stay until they are known');
});

function feed(read: () => Promise<Queue>) {
  const timers = new FakeTimers();
  const failures: unknown[] = [];
  return { timers, failures, feed: new TaskFeed({ read, failed: (error) => failures.push(error), timers }) };
}

test('the queue is read while somebody watches, and a burst of events makes few pictures', async () => {
  let reads = 0;
  const { feed: tasks, timers } = feed(() => Promise.resolve(queue({ length: ++reads })));
  tasks.reset();
  await timers.pass(10_000);
  assert.equal(reads, 0, 'nobody watches');
  const leave = tasks.watch();
  await settled();
  assert.equal(reads, 1);
  let pictures = 0;
  tasks.queue.subscribe(() => ++pictures);
  for (let id = 1; id <= 500; ++id) tasks.takeTask(told('ended', task(id, { state: 'succeeded' })));
  await settled();
  assert.ok(pictures <= 1, `${pictures} at once`);
  await timers.pass(250);
  assert.equal(pictures, 2);
  assert.equal(reads, 1, 'nothing was to be guessed');
  assert.equal(tasks.latest.get().size, 499);
  tasks.takeTask(told('submitted', task(900)));
  tasks.takeTask(told('submitted', task(901)));
  await timers.pass(2000);
  await timers.pass(2000);
  assert.equal(reads, 2);
  leave();
  tasks.reset();
  await timers.pass(10_000);
  assert.equal(reads, 2);
});

test('a queue that cannot be read is asked for again once the service is there', async () => {
  let fails = true;
  const {
    feed: tasks,
    timers,
    failures,
  } = feed(() => (fails ? Promise.reject(new ApiProblem(0, '', '')) : Promise.resolve(queue())));
  tasks.watch();
  await settled();
  assert.equal(failures.length, 1);
  assert.ok(tasks.trouble.get() instanceof ApiProblem);
  fails = false;
  tasks.connected();
  await timers.pass(2000);
  assert.equal(tasks.trouble.get(), null);
  assert.ok(tasks.queue.get());
});

test('the event queue brings lengths and trouble', async () => {
  const { feed: tasks, timers } = feed(() => Promise.resolve(queue({ length: 7 })));
  tasks.watch();
  await settled();
  tasks.takeQueue({ length: 7, by_state: { waiting: 7, running: 2 }, trouble: 'disk full' });
  assert.equal(tasks.queue.get()!.trouble, 'disk full');
  assert.deepEqual(tasks.queue.get()!.by_state, { waiting: 7, running: 2 });
  await timers.pass(2000);
});

const part = (from: number, text: string, more: Partial<LogPart> = {}): LogPart => ({
  task: 1,
  attempt: 1,
  stream: 'stdout',
  from,
  next: from + (more.left_out_bytes ?? 0) + text.length,
  left_out_bytes: 0,
  whole: false,
  text,
  ...more,
});
const linesOf = (text: LogText): string[] => [
  ...text.blocks.flatMap(({ lines, gap }) => (gap ? [`[${gap.kind} ${gap.bytes}]`] : lines)),
  ...(text.rest === '' ? [] : [text.rest]),
];

test('lines are put together from parts that end anywhere', () => {
  const whole = 'one\ntwo\n\nfour\nfive';
  for (let cut = 0; cut <= whole.length; ++cut) {
    let text = appended(kNoLog, part(0, whole.slice(0, cut)));
    text = appended(text, part(cut, whole.slice(cut), { whole: true }));
    assert.deepEqual(linesOf(text), ['one', 'two', '', 'four', 'five'], `cut at ${cut}`);
    assert.ok(text.whole);
  }
});

test('earlier parts join wherever they end', () => {
  const whole = 'one\ntwo\n\nfour\nfive\n';
  for (let cut = 0; cut <= whole.length; ++cut) {
    const tail = appended(kNoLog, part(cut, whole.slice(cut)));
    const text = prepended(tail, part(0, whole.slice(0, cut)));
    assert.deepEqual(linesOf(text), ['one', 'two', '', 'four', 'five'], `cut at ${cut}`);
    assert.equal(text.from, 0);
  }
  let text = appended(kNoLog, part(9, 'c\nd'));
  text = prepended(text, part(6, 'bbb'));
  text = prepended(text, part(0, 'aaa\nbb'));
  assert.deepEqual(linesOf(text), ['aaa', 'bbbbbc', 'd']);
});

test('what is left out, or was not read, stands where it was', () => {
  let text = appended(kNoLog, part(0, 'a\nb'));
  text = appended(text, part(3, 'c\n', { left_out_bytes: 100 }));
  text = appended(text, part(205, 'd\n'));
  assert.deepEqual(linesOf(text), ['a', 'b', '[left_out 100]', 'c', '[skipped 100]', 'd']);
  const tail = appended(kNoLog, part(150, 'e\n', { left_out_bytes: 10 }));
  assert.deepEqual(linesOf(prepended(tail, part(140, 'x\ny'))), ['x', 'y', '[left_out 10]', 'e']);
});

test('what is shown of an output has a limit: the oldest goes', () => {
  let text = kNoLog;
  let at = 0;
  for (let i = 0; i < 100; ++i) {
    const lines = `${'x'.repeat(99)}\n`.repeat(1000);
    text = appended(text, part(at, lines));
    at += lines.length;
  }
  const held = text.blocks.reduce((sum, { size }) => sum + size, 0);
  assert.ok(held <= kMostHeld && held > kMostHeld / 2, String(held));
  assert.equal(text.from, at - held);
});

test('blocks that are full stay the same objects', () => {
  let text = appended(kNoLog, part(0, 'x\n'.repeat(300)));
  const [first] = text.blocks;
  text = appended(text, part(600, 'y\n'));
  assert.equal(text.blocks[0], first);
  assert.equal(text.blocks.length, 2);
  const { key } = text.blocks[1]!;
  text = appended(text, part(602, 'z\n'));
  assert.equal(text.blocks[1]!.key, key);
});

test('codes of terminals are no text', () => {
  assert.equal(readable('\x1b[1;32mok\x1b[0m'), 'ok');
  assert.equal(readable(' 10 %\r 20 %\rdone'), 'done');
  assert.equal(readable('windows\r'), 'windows');
  assert.equal(readable('\x1b]0;title\x07x\ty'), 'x\ty');
  assert.equal(readable('bell\x07'), 'bell\ufffd');
});

test('a search finds words whatever their case', () => {
  const text = appended(kNoLog, part(0, 'Error one\nno\nan ERROR, an error\n'));
  assert.deepEqual(
    matchesOf(text.blocks, 'error').map(({ line, index }) => [line, index]),
    [
      [0, 0],
      [2, 1],
      [2, 2],
    ],
  );
  assert.deepEqual(matchesOf(text.blocks, ''), []);
  assert.deepEqual(placesOf('İx x', 'x'), [1, 3], 'lower case may be longer');
  assert.equal(matchesOf(appended(kNoLog, part(0, 'aaaa\n'.repeat(5000))).blocks, 'a').length, 2000);
});

/** A service that answers with these, and then no more. */
function follow(answers: (LogPart | Error)[]) {
  const asked: [number, boolean][] = [];
  const parts: LogPart[] = [];
  const errors: unknown[] = [];
  const end = new AbortController();
  const done = followLog(
    {
      ask: (from, follows) => {
        asked.push([from, follows]);
        const answer = answers.shift();
        if (!answer) end.abort();
        if (!answer || answer instanceof Error) return Promise.reject(answer ?? new Error('end'));
        return Promise.resolve(answer);
      },
      onPart: (one) => parts.push(one),
      onError: (error) => errors.push(error),
      wait: () => Promise.resolve(),
      random: () => 0.5,
    },
    end.signal,
  );
  return done.then(() => ({ asked, parts, errors }));
}

test('a log is read from its end, then followed until it is whole', async () => {
  const { asked, parts } = await follow([
    part(100, 'abc'),
    part(103, 'd'),
    part(104, 'e', { whole: true }),
    part(0, 'x'),
  ]);
  assert.deepEqual(asked, [
    [-kLogPart, false],
    [103, true],
    [104, true],
  ]);
  assert.equal(parts.length, 3);
});

test('a log that cannot be read is asked for again from where it was; a key that is wrong ends it', async () => {
  const { asked, errors } = await follow([
    part(0, 'ab'),
    new ApiProblem(503, '', ''),
    part(2, 'c'),
    new ApiProblem(401, '', ''),
  ]);
  assert.deepEqual(asked.slice(1), [
    [2, true],
    [2, true],
    [3, true],
  ]);
  assert.equal(errors.length, 2);
});

test('a task that prints faster than the page reads is followed at its end', async () => {
  const full = (at: number) => part(at * kLogPart, 'x'.repeat(kLogPart));
  const far = part(100 * kLogPart, 'end');
  const { asked, parts } = await follow([full(0), ...[1, 2, 3, 4, 5, 6].map(full), far, part(far.next, 'y')]);
  assert.deepEqual(asked[7], [-kLogPart, false]);
  assert.deepEqual(asked[8], [far.next, true]);
  const text = parts.reduce(appended, kNoLog);
  assert.ok(linesOf(text).includes(`[skipped ${93 * kLogPart}]`));
});

/** A service that keeps the beginning and the end of what was printed. */
function serviceOf(whole: string, head: number, tail: number): { ask: AskLog; asked: () => number } {
  let asked = 0;
  const ask: AskLog = (from, limit) => {
    ++asked;
    const start = from < head ? from : Math.max(from, whole.length - tail);
    const end = from < head ? Math.min(head, start + limit) : start + limit;
    return Promise.resolve(part(from, whole.slice(start, end), { left_out_bytes: start - from }));
  };
  return { ask, asked: () => asked };
}

test('what is left out is told whole, wherever reading began', async () => {
  const whole = Array.from({ length: 400 }, (_, i) => `line ${i}\n`).join('');
  const { ask, asked } = serviceOf(whole, 500, 1000);
  for (const behind of [2000, 1001, 1000, 40]) {
    let text = appended(kNoLog, await withWholeGap(ask, await ask(whole.length - behind, 5000)));
    while (text.from > 0) {
      const parts = await readRange(ask, Math.max(0, text.from - 300), text.from);
      text = parts.reduceRight(prepended, text);
    }
    const gap = whole.length - 1500;
    const cut = (begin: number, end: number) => whole.slice(begin, end).replace(/\n$/, '').split('\n');
    assert.deepEqual(linesOf(text), [...cut(0, 500), `[left_out ${gap}]`, ...cut(whole.length - 1000, whole.length)]);
  }
  assert.ok(asked() < 200, String(asked()));
});

test('the last few bytes before what is held are asked for as the service gives them', async () => {
  const { ask } = serviceOf('ab\ncdefgh\n', 100, 0);
  const text = appended(kNoLog, await ask(2, 100));
  const parts = await readRange(ask, 0, 2);
  assert.deepEqual(linesOf(parts.reduceRight(prepended, text)), ['ab', 'cdefgh']);
});

test('command lines are taken apart as a shell does, and put together again', () => {
  assert.deepEqual(wordsOf(`python  train.py --name 'two words' "a\\"b" c\\ d ''`), [
    'python',
    'train.py',
    '--name',
    'two words',
    'a"b',
    'c d',
    '',
  ]);
  assert.deepEqual(wordsOf('  \n '), []);
  assert.equal(wordsOf(`it's`), null);
  for (const words of [
    ['a b', `it's`, '', '$HOME', '-x=1'],
    ['"', '\\', '\n'],
  ])
    assert.deepEqual(wordsOf(commandText(words)), words);
});

test('addresses lead to tasks, batches and filtered lists', () => {
  const of = (hash: string) => tasksPlaceOf(placeOfHash(hash).detail);
  assert.deepEqual(of('#tasks'), { at: 'queue' });
  assert.deepEqual(of(hashOfTask(12)), { at: 'task', id: 12 });
  assert.deepEqual(of('#tasks/batches/3'), { at: 'batch', id: 3 });
  assert.deepEqual(of('#tasks/nonsense'), { at: 'queue' });
  const filter = { state: 'over', type: 'a&b/ü %', by: 'bob ?', batch: '7' };
  assert.deepEqual(of(hashOfList(filter)), { at: 'all', filter });
  assert.deepEqual(of(hashOfList({})), { at: 'all', filter: { state: '', type: '', by: '', batch: '' } });
});

test('who may cancel', () => {
  const may = (role: 'none' | 'read' | 'submit' | 'admin', name: string) =>
    mayCancel({ caller: { role, name } }, 'alice');
  assert.deepEqual(
    [may('read', 'alice'), may('submit', 'alice'), may('submit', 'bob'), may('admin', 'bob')],
    [false, true, false, true],
  );
});

test('how an attempt ended is told in words', () => {
  assert.equal(endText(attempt()), 'running');
  assert.equal(endText(attempt({ ended: 'x', cause: 'exit', exit_status: 3 })), 'exit status 3');
  assert.equal(endText(attempt({ ended: 'x', cause: 'signal', signal: 9 })), 'killed by a signal, signal 9');
  assert.equal(
    endText(attempt({ ended: 'x', cause: 'out_of_memory', exit_status: 1 })),
    'out of GPU memory, exit status 1',
  );
});

test('when a task should start is told from now; what has passed is any moment', () => {
  const now = new Date(2026, 10, 22, 12, 0, 0);
  const at = (seconds: number) => new Date(now.getTime() + 1000 * seconds).toISOString();
  const seconds = now.getTime() / 1000;
  assert.equal(plain(startText(at(300), seconds)), 'in 5 min (12:05:00)');
  assert.equal(plain(startText(at(86_400), seconds)), 'in 24 h (2026-11-23 12:00:00)');
  assert.equal(startText(at(-5), seconds), 'at any time');
  assert.equal(startText('', seconds), '–');
});

test('scores are told in their own words, else as numbers', () => {
  const judged = { index: 0, id: 'gpu_0', uuid: 'u', eligible: true, chosen: false, refusals: [] };
  assert.equal(scoreText({ ...judged, score: 0.123456, score_text: null }), '0.12');
  assert.equal(scoreText({ ...judged, score: 0, score_text: 'next in turn' }), 'next in turn');
  assert.equal(scoreText({ ...judged, score: null, score_text: null }), '–');
});

const type = (runs: TaskType['runs'], more: Partial<TaskType> = {}): TaskType => ({
  name: 'train',
  description: null,
  runs,
  gpus: 1,
  memory_bytes: null,
  learned: null,
  run_seconds: null,
  profiles: [],
  ...more,
});

test('a form becomes a submission, or says what is wrong', () => {
  assert.deepEqual(submissionOf(kNoDraft, type('command')), { type: 'train' });
  assert.deepEqual(submissionOf({ ...kNoDraft, arguments: '--x 1', gpus: '0' }, type('command')), {
    type: 'train',
    arguments: ['--x', '1'],
    gpus: 0,
  });
  assert.deepEqual(submissionOf({ ...kNoDraft, request: '{"inputs": []}' }, type('workers')), {
    type: 'train',
    request: { inputs: [] },
  });
  assert.match(String(submissionOf({ ...kNoDraft, request: '{' }, type('workers'))), /JSON/);
  assert.match(String(submissionOf(kNoDraft, type('anything'))), /command/);
  assert.match(String(submissionOf({ ...kNoDraft, gpus: '-1' }, type('command'))), /whole number/);
  assert.match(String(submissionOf({ ...kNoDraft, memory: '16 apples' }, type('command'))), /16GiB/);
});

test('unknown amounts of types and tasks are no zeros', () => {
  assert.equal(learnedText(type('command')), '–');
  const learned = { need_bytes: 2 ** 34, median_bytes: 2 ** 33, spread_bytes: 2 ** 30, tasks: 1 };
  assert.equal(plain(learnedText(type('command', { learned }))), '16 GiB (median 8 GiB ± 1 GiB, 1 task)');
  const columns = waitingColumns([task(1, { memory_bytes: null, ready: '1970-01-01T00:10:00Z' }), task(2)], 1200);
  const values = (name: string) => columns.find((column) => column.name === name)?.values;
  assert.deepEqual(values('Memory (GiB)'), [null, 16]);
  assert.equal(values('Waiting (min)')![0], 10);
  assert.equal(values('Batch'), undefined, 'what no task has tells nothing');
});
