// Tasks on the live page, with a stand-in for the service. live_submit.mjs uses the service.
import assert from 'node:assert/strict';
import { test, until, visibleText } from './_page.mjs';
import { excess, intruders, kNoIntruders, openPart, openPlace, signIn, withLivePage } from './_live.mjs';
import { gpu, StubService } from './_stub_service.mjs';
import { attempt, judgement, task } from './_stub_tasks.mjs';

const kGiB = 2 ** 30;

/** A stand-in with this number of GPUs, and its tasks. */
async function withService(count, body) {
  const service = await new StubService().start();
  service.gpus = Array.from({ length: count }, (_, i) => gpu(i));
  try {
    await body(service, service.tasks);
  } finally {
    service.stop();
  }
}

const refused = (status) => new RegExp(`Failed to load resource: the server responded with a status of ${status}`);
const grid = (page, name) => page.getByRole('grid', { name });
const rowOf = (page, table, text) => grid(page, table).getByRole('row').filter({ hasText: text });
const live = (page) => page.locator('.connection.live').waitFor();

test('the queue follows its events: submitted, started, ended', () =>
  withService(2, async (service, tasks) => {
    await withLivePage(service.url, { hash: '#tasks' }, async (page) => {
      await signIn(page, 'sonde_read');
      await live(page);
      await page.getByText('No tasks are waiting.').waitFor();
      tasks.submit(1, { name: 'first' });
      tasks.submit(2, { name: 'second', priority: 'high' });
      await rowOf(page, 'Waiting', 'second').waitFor();
      tasks.sendQueue();
      await page.getByText('2 of at most 1,000 in the queue, 0 running').waitFor();
      tasks.start(1, service.gpus[1], { reserved_bytes: 40 * kGiB });
      tasks.sendQueue();
      await rowOf(page, 'Running', 'first').filter({ hasText: 'gpu_1' }).waitFor();
      const slots = page.getByRole('row', { name: /gpu_1/ }).filter({ hasText: '1 of 8' });
      await slots.filter({ hasText: /40\.0 \/ 80\sGiB/ }).waitFor();
      await slots.getByRole('link', { name: '1', exact: true }).waitFor();
      tasks.end(1, 'succeeded');
      await page.getByText('No tasks are running.').waitFor();
      await openPart(page, 'GPUs');
      tasks.start(2, service.gpus[0]);
      await page.getByRole('link', { name: /1 task, 16\sGiB reserved/ }).waitFor();
      await page.locator('.gpu h3 a').first().click();
      await page.getByRole('heading', { name: 'Tasks on this GPU' }).waitFor();
      await page.getByText('Slots: 1 of 8').waitFor();
      await page.getByRole('link', { name: '2', exact: true }).click();
      await page.getByRole('heading', { name: 'Task 2 second' }).waitFor();
    });
  }));

test('a task that waits says why, what would unblock it, and when it should start', () =>
  withService(3, async (service, tasks) => {
    const later = (seconds) => new Date(Date.now() + 1000 * seconds).toISOString();
    const [first, second, third] = service.gpus;
    tasks.add(task(7, { name: 'big' }));
    tasks.explanations.set(7, {
      summary: 'It waits: no GPU has room for it.',
      unblocks: ['A task that ends on gpu_0.'],
      position: 3,
      ahead: [5, 6],
      start: { earliest: later(100), likely: later(3599), latest: later(7200) },
      gpus: [
        judgement(first, {
          eligible: false,
          score: null,
          score_text: null,
          refusals: [
            { rule: 'memory_room', reason: '8.9 GiB are left', unblocked: 'a task ends there', for_good: false },
          ],
        }),
        judgement(second, {
          eligible: false,
          score: null,
          score_text: null,
          refusals: [{ rule: 'compute_capability', reason: '6.1 is below 7.0', unblocked: null, for_good: true }],
        }),
        judgement(third, { score: 0.25, score_text: null }),
      ],
    });
    await withLivePage(service.url, { hash: '#tasks/7' }, async (page) => {
      await signIn(page, 'sonde_read');
      await page.getByText('It waits: no GPU has room for it.').waitFor();
      await page.getByText('A task that ends on gpu_0.').waitFor();
      await page.getByText('Position 3 in the queue').waitFor();
      const text = await page.locator('.explanation').innerText();
      assert.match(
        text,
        /Expected start: in 60\smin \(.*\); between .* and .* \(80\s% of tasks start within the range\)/,
      );
      const row = (name) => page.getByRole('row', { name: new RegExp(name) });
      assert.match(
        await row('gpu_0').innerText(),
        /not eligible[\s\S]*8\.9 GiB are left \(to become eligible: a task ends there\)/,
      );
      assert.match(await row('gpu_1').innerText(), /not eligible, permanently/);
      assert.match(await row('gpu_2').innerText(), /eligible\s+0\.25/);
      await page.getByText('The task has not started, so there is no output yet.').waitFor();
      tasks.explanations.set(7, {
        summary: 'It went to gpu_2.',
        decisions: [
          {
            attempt: 1,
            moment: later(0),
            strategy: 'least_loaded',
            note: 'The others are full.',
            waiting: 3,
            gpus: [judgement(first), judgement(third, { chosen: true, score_text: '12 % in use' })],
          },
        ],
      });
      await live(page);
      tasks.start(7, third);
      await page.getByText('It went to gpu_2.').waitFor();
      await page.getByText('Strategy least_loaded, with 3 tasks waiting. The others are full.').waitFor();
      await row('gpu_2').filter({ hasText: 'chosen' }).filter({ hasText: '12 % in use' }).waitFor();
    });
  }));

test('output is followed, searched, and told where parts of it are left out', () =>
  withService(1, async (service, tasks) => {
    tasks.add(task(1, { state: 'running', attempts: [attempt(service.gpus[0].uuid)] }));
    tasks.leftOut.set(1, 5 * 2 ** 20);
    tasks.print(1, Array.from({ length: 3000 }, (_, i) => `line ${i} of the run\n`).join(''));
    tasks.print(1, '10 %\r50 %\r\x1b[32mdone\x1b[0m <img src=x onerror="window.hit=1">\n');
    tasks.print(1, 'a warning\n', 'stderr');
    await withLivePage(service.url, { hash: '#tasks/1' }, async (page) => {
      await signIn(page, 'sonde_read');
      const box = page.locator('.log-box');
      await box.getByText('done <img src=x').waitFor();
      const text = await box.innerText();
      assert.ok(!text.includes('50 %') && !text.includes('[32m'), 'a progress bar is what it ended as');
      assert.deepEqual(await intruders(page), kNoIntruders);
      const atEnd = () =>
        box.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight < 2);
      assert.ok(await atEnd());
      tasks.print(1, 'half a li');
      await box.getByText('half a li').waitFor();
      tasks.print(1, 'ne\n');
      await box.getByText('half a line').waitFor();
      assert.ok(await atEnd(), 'the end stays in sight');

      // Whoever scrolls back stays there.
      await box.evaluate((element) => void (element.scrollTop = 0));
      const follow = page.getByRole('button', { name: 'Follow the end' });
      await page.locator('button[aria-pressed=false]', { hasText: 'Follow the end' }).waitFor();
      tasks.print(1, 'later line\n');
      await box.getByText('later line').waitFor({ state: 'attached' });
      assert.ok(!(await atEnd()));
      await follow.click();
      await until(page, () => {
        const element = document.querySelector('.log-box');
        return element.scrollHeight - element.scrollTop - element.clientHeight < 2;
      });

      const search = page.getByRole('searchbox', { name: 'Search the output' });
      await search.fill('LINE 2999');
      await page.getByText('0 of 1').waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('1 of 1').waitFor();
      assert.equal(await box.locator('mark.current').innerText(), 'line 2999');
      await search.fill('no such line');
      await page.getByText('no match').waitFor();
      await search.fill('');

      await page.getByRole('button', { name: 'Wrap lines' }).click();
      await page.locator('.log-box:not(.wraps)').waitFor();
      for (const earlier = page.getByRole('button', { name: 'Load earlier output' }); (await earlier.count()) > 0;) {
        const before = await box.locator('pre').count();
        const known = await box.evaluate((element) => element.textContent.length);
        await earlier.click();
        await until(
          page,
          ([count, length]) =>
            document.querySelectorAll('.log-box pre').length > count ||
            document.querySelector('.log-box').textContent.length > length ||
            !document.querySelector('.log-box button'),
          [before, known],
        );
        if ((await page.getByText('line 0 of the run').count()) > 0) break;
      }
      const all = await box.evaluate((element) => element.textContent);
      for (const line of [0, 1, 1500, 2998, 2999]) assert.ok(all.includes(`line ${line} of the run`), `line ${line}`);
      assert.equal(all.match(/line \d+ of the run/g).length, 3000, 'each line once');

      await page.getByLabel('Stream').selectOption('stderr');
      await box.getByText('a warning').waitFor();
      await box.getByText('5 MiB were dropped here').waitFor();
      tasks.end(1, 'failed', { reason: 'It ended with exit status 1.' });
      await box.getByText('end of the output').waitFor();
      await page.getByText('It ended with exit status 1.').waitFor();
    });
  }));

test('a task is cancelled after a question, by whom it belongs to or an admin', () =>
  withService(1, async (service, tasks) => {
    tasks.add(task(1, { submitted_by: 'admin' }));
    tasks.add(task(2, { submitted_by: 'submit' }));
    await withLivePage(service.url, { hash: '#tasks/1' }, async (page) => {
      const cancel = page.getByRole('article').getByRole('button', { name: 'Cancel the task' });
      await signIn(page, 'sonde_submit');
      await page.getByRole('heading', { name: 'Task 1 run-1' }).waitFor();
      assert.ok(await cancel.isDisabled(), "another's task");
      await page.evaluate(() => void (location.hash = '#tasks/2'));
      await page.getByRole('heading', { name: 'Task 2 run-2' }).waitFor();
      await cancel.click();
      await page.getByRole('dialog', { name: 'Cancel task 2?' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.ok(!service.asked.some(([, path]) => path.endsWith('/cancel')), 'Escape cancels nothing');
      await cancel.click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the task' }).click();
      await page.getByText('Cancelled by submit.').waitFor();
      assert.equal(await cancel.count(), 0);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.evaluate(() => void (location.hash = '#tasks/1'));
      await signIn(page, 'sonde_read');
      await page.getByRole('heading', { name: 'Task 1 run-1' }).waitFor();
      assert.ok(await cancel.isDisabled());
    });
  }));

test('a task is submitted, once; what is wrong is told before and after it is sent', () =>
  withService(1, async (service, tasks) => {
    await withLivePage(service.url, { hash: '#tasks', expected: [refused(429)] }, async (page) => {
      await signIn(page, 'sonde_submit');
      await page.getByRole('link', { name: 'Submit', exact: true }).click();
      const command = page.getByLabel('Command');
      const said = page.locator('form').getByRole('alert');
      const submit = page.getByRole('button', { name: 'Submit', exact: true });
      await submit.click();
      await said.filter({ hasText: 'Enter a command.' }).waitFor();
      await command.fill(`python 'open`);
      await submit.click();
      await said.filter({ hasText: 'Unterminated quote.' }).waitFor();
      await command.fill(`python train.py --name 'two words'`);
      await page.getByLabel('Memory per GPU').fill('much');
      await submit.click();
      await said.filter({ hasText: 'such as 16GiB' }).waitFor();
      await page.getByLabel('Memory per GPU').fill('16 GiB');
      await page.getByLabel('GPUs', { exact: true }).fill('2');
      await page.getByLabel('Priority').selectOption('high');
      await page.getByLabel('Name', { exact: true }).fill('mine');
      tasks.refusal = [429, 'The queue is full', 'It holds 1000 tasks.', { 'Retry-After': '12' }];
      await submit.click();
      await said.filter({ hasText: 'The queue is full. It holds 1000 tasks. Try again in 12 s.' }).waitFor();
      tasks.refusal = null;
      await submit.click();
      await page.getByRole('heading', { name: 'Task 1 mine' }).waitFor();
      const posts = service.asked.filter(([method]) => method === 'POST');
      assert.deepEqual(posts.at(-1)[2], {
        type: 'default',
        command: ['python', 'train.py', '--name', 'two words'],
        name: 'mine',
        priority: 'high',
        gpus: 2,
        memory: '16GiB',
      });
      assert.equal(tasks.keys.length, 2);
      assert.equal(tasks.keys[0], tasks.keys[1], 'the same submission goes by the same key');
      await page.getByText(`python train.py --name 'two words'`).waitFor();

      await page.getByRole('link', { name: 'Submit', exact: true }).click();
      await page.getByLabel('Type').selectOption('train');
      await page.getByText(/Learned from 40 tasks: 14\sGiB/).waitFor();
      await page.getByLabel('Arguments').fill('--seed 7');
      await submit.click();
      await page.getByRole('heading', { name: /^Task 2/ }).waitFor();
      assert.deepEqual(service.asked.findLast(([method]) => method === 'POST')[2], {
        type: 'train',
        arguments: ['--seed', '7'],
      });
      assert.notEqual(tasks.keys[2], tasks.keys[1]);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await signIn(page, 'sonde_read');
      assert.equal(await page.getByRole('link', { name: 'Submit', exact: true }).count(), 0);
    });
  }));

test('a full queue and a database that cannot be written are said in words', () =>
  withService(1, async (service, tasks) => {
    tasks.maxLength = 2;
    await withLivePage(service.url, { hash: '#tasks' }, async (page) => {
      await signIn(page, 'sonde_read');
      await live(page);
      await page.getByText('No tasks are waiting.').waitFor();
      for (const id of [1, 2]) tasks.submit(id);
      tasks.sendQueue();
      await page.getByRole('alert').filter({ hasText: 'The queue is full: it has 2 tasks' }).waitFor();
      tasks.trouble = 'the database cannot be written: disk full';
      tasks.sendQueue();
      await page.getByRole('alert').filter({ hasText: 'disk full. Running tasks continue' }).waitFor();
      tasks.trouble = null;
      tasks.end(1, 'cancelled', { attempts: [] });
      tasks.sendQueue();
      await until(page, () => document.querySelectorAll('main [role=alert]').length === 0);
    });
  }));

test('an admin changes the strategy at the queue; others see it', () =>
  withService(1, async (service) => {
    await withLivePage(service.url, { hash: '#tasks' }, async (page) => {
      await signIn(page, 'sonde_read');
      await page.getByText('Strategy: least_loaded').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await signIn(page, 'sonde_admin');
      await page.getByLabel('Strategy').first().selectOption('random');
      await page.getByRole('button', { name: 'Apply: Strategy' }).click();
      await page.getByText('least_loaded → random').waitFor();
      const posts = service.asked.filter(([method]) => method === 'POST');
      assert.deepEqual(posts, [['POST', 'config/gpu/strategy', { strategy: 'random', persist: false }]]);
    });
  }));

test('finished tasks are filtered by state, type, submitter and batch, and paged; the address holds the filter', () =>
  withService(1, async (service, tasks) => {
    for (let id = 1; id <= 250; ++id)
      tasks.add(
        task(id, {
          state: id % 10 === 0 ? 'failed' : 'succeeded',
          cause: id % 10 === 0 ? 'out_of_memory' : 'exit',
          type: id % 2 === 0 ? 'train' : 'default',
          submitted_by: id > 240 ? 'bob & co' : 'alice',
          batch: id <= 20 ? 3 : null,
        }),
      );
    await withLivePage(service.url, { hash: '#tasks/all' }, async (page) => {
      await signIn(page, 'sonde_read');
      const rows = (text) => page.locator('.table-count').filter({ hasText: text }).waitFor();
      await rows('100 rows');
      const older = page.getByRole('button', { name: 'Show older ones' });
      await older.click();
      await rows('200 rows');
      await older.click();
      await rows('250 rows');
      assert.equal(await older.count(), 0);
      await page.getByLabel('State').selectOption('failed');
      await rows('25 rows');
      await rowOf(page, 'Tasks', 'out of GPU memory').first().waitFor();
      await page.getByLabel('Type').selectOption('default');
      await page.getByText('No task matches.').waitFor();
      await page.getByLabel('State').selectOption('over');
      await page.getByLabel('Submitted by').fill('bob & co');
      await page.keyboard.press('Enter');
      await rows('5 rows');
      await page.reload();
      await rows('5 rows');
      assert.equal(await page.getByLabel('Submitted by').inputValue(), 'bob & co');
      await page.goto(`${service.url}#tasks/all?batch%3D3`);
      await rows('20 rows');
      await grid(page, 'Tasks').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Task 19 run-19' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: 'Queue' }).waitFor();
    });
  }));

test('a batch shows its split and its progress', () =>
  withService(2, async (service, tasks) => {
    const [first, second] = service.gpus;
    const batch = {
      id: 3,
      name: 'sweep',
      submitted: new Date().toISOString(),
      submitted_by: 'submit',
      tasks: Array.from({ length: 12 }, (_, i) => i + 1),
      split: {},
      states: { waiting: 12 },
    };
    tasks.batches = [batch];
    await withLivePage(service.url, { hash: '#tasks/batches' }, async (page) => {
      await signIn(page, 'sonde_submit');
      await page.getByText('0 of 12 finished').waitFor();
      await page.getByRole('link', { name: '3', exact: true }).click();
      await page.getByText('Not split yet').waitFor();
      await live(page);
      Object.assign(batch, { split: { [first.uuid]: 9, [second.uuid]: 3 }, states: { succeeded: 5, running: 7 } });
      service.send('batch', { change: 'split', batch });
      await page.getByText('5 of 12 finished').waitFor();
      await page.getByText('5 succeeded, 7 running').waitFor();
      await page
        .getByRole('row', { name: /gpu_0/ })
        .filter({ hasText: /75\.0\s%/ })
        .waitFor();
      await page.getByRole('button', { name: 'Cancel the batch' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the batch' }).click();
      await page.getByText('12 of 12 finished').waitFor();
    });
  }));

test('a thousand waiting tasks and hundreds of events at once leave the page at rest', () =>
  withService(8, async (service, tasks) => {
    for (let id = 1; id <= 1000; ++id) tasks.add(task(id));
    await withLivePage(service.url, { hash: '#tasks' }, async (page) => {
      await signIn(page, 'sonde_admin');
      await live(page);
      await page.getByText('1000 rows').or(page.getByText('1,000 rows')).waitFor();
      // Renders are counted by what they change: the table has no more rows than are seen.
      assert.ok((await grid(page, 'Waiting').getByRole('row').count()) < 100);
      const asked = () => service.asked.filter(([, path]) => path === 'queue').length;
      const before = asked();
      await page.evaluate(() => {
        window.pictures = 0;
        new MutationObserver(() => ++window.pictures).observe(document.querySelector('main'), {
          subtree: true,
          childList: true,
          characterData: true,
        });
      });
      for (let id = 1; id <= 400; ++id) {
        tasks.start(id, service.gpus[id % 8]);
        tasks.end(id, 'succeeded');
      }
      for (let id = 1001; id <= 1100; ++id) tasks.submit(id, { name: `late-${id}` });
      tasks.submit(1101, { name: 'the last one' });
      tasks.sendQueue();
      await page.getByText('701 of at most 1,000 in the queue').waitFor();
      await page.getByRole('searchbox', { name: 'Filter Waiting' }).fill('the last one');
      await rowOf(page, 'Waiting', 'the last one').waitFor();
      // 901 events; a picture each quarter of a second at most, and few readings of the whole queue.
      assert.ok((await page.evaluate(() => window.pictures)) < 300);
      assert.ok(asked() - before < 100, `${asked() - before} readings`);
    });
  }));

test('after missed events tasks are read anew', () =>
  withService(1, async (service, tasks) => {
    await withLivePage(service.url, { hash: '#tasks' }, async (page) => {
      await signIn(page, 'sonde_read');
      await live(page);
      await page.getByText('No tasks are waiting.').waitFor();
      tasks.add(task(1, { name: 'unseen' }));
      service.send('reset', {});
      await rowOf(page, 'Waiting', 'unseen').waitFor();
      await page.evaluate(() => void (location.hash = '#tasks/1'));
      await page.getByRole('heading', { name: 'Task 1 unseen' }).waitFor();
      tasks.add(task(1, { name: 'unseen', state: 'failed', cause: 'lost', reason: 'The host went down.' }));
      service.send('reset', {});
      await page.getByText('The host went down.').waitFor();
    });
  }));

test('a service without tasks says so, and the rest works', () =>
  withService(1, async (service, tasks) => {
    tasks.answer = ({ problem }) => problem(503, 'Tasks are switched off', 'sonde.tasks.enabled is false.');
    await withLivePage(service.url, { expected: [refused(503)] }, async (page) => {
      await signIn(page, 'sonde_admin');
      await page.locator('.gpu').waitFor();
      await openPart(page, 'Tasks');
      await page.getByRole('alert').filter({ hasText: 'Tasks are switched off' }).waitFor();
      await page.evaluate(() => void (location.hash = '#tasks/1'));
      await page.getByRole('alert').filter({ hasText: 'sonde.tasks.enabled is false' }).waitFor();
    });
  }));

const kHostile = [
  '<img src=x onerror="window.hit=1">',
  'left\u202Ethgir',
  '__proto__',
  'long'.repeat(2500),
  'اسم '.repeat(40),
];

test('hostile names of tasks are shown as text, on narrow windows too', () =>
  withService(2, async (service, tasks) => {
    kHostile.forEach((name, i) => {
      const words = { name, type: name, submitted_by: name, priority: name, reason: name, strategy: name };
      tasks.add(task(i + 1, { ...words, command: [name, name], batch: 1 }));
      tasks.add(
        task(i + 11, {
          ...words,
          state: 'running',
          attempts: [attempt(service.gpus[0].uuid, { message: name, ended: name })],
        }),
      );
      tasks.types.push({ ...tasks.types[1], name, description: name });
      tasks.print(i + 11, `${name}\n${name}`);
      const findings = [{ id: name, says: name, do: name }];
      tasks.profiles.set(i + 11, [
        { task: i + 11, attempt: 1, why: name, state: name, file: name, findings, trouble: name, moment: name },
      ]);
      const refusals = [{ rule: name, reason: name, unblocked: name, for_good: true }];
      const gpus = [
        judgement(service.gpus[0], { eligible: false, refusals }),
        judgement(service.gpus[1], { score_text: name }),
      ];
      const decisions = [{ attempt: 1, moment: name, strategy: name, note: name, waiting: 1, gpus }];
      for (const id of [i + 1, i + 11])
        tasks.explanations.set(id, { summary: name, unblocks: [name], start_unknown: name, gpus, decisions });
      tasks.batches.push({
        id: i + 1,
        name,
        submitted: name,
        submitted_by: name,
        tasks: [1],
        split: { [name]: 1 },
        states: { waiting: 1 },
      });
    });
    tasks.trouble = kHostile[0];
    for (const width of [360, 1440, 2560]) {
      await withLivePage(service.url, { width, hash: '#tasks' }, async (page) => {
        await signIn(page, 'sonde_admin');
        const places = [
          ['', 'Queue'],
          ['/all', 'All tasks'],
          ['/batches', 'Batches'],
          ['/types', 'Types'],
          ['/submit', 'Submit a task'],
          ...[1, 2, 3, 4, 5, 11, 14].map((id) => [`/${id}`, `Task ${id} `]),
          ['/batches/4', 'Batch 4 '],
        ];
        for (const [place, heading] of places) {
          await openPlace(page, `#tasks${place}`, heading);
          assert.equal(await excess(page), 0, `#tasks${place} is too wide for ${width}`);
          assert.deepEqual(await intruders(page), kNoIntruders, place);
        }
        assert.ok((await visibleText(page)).includes('long'));
      });
    }
  }));
