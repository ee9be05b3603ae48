// From sign-in to a submitted task, its explanation and its log: the live page, `sonde serve` and real programs.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { test } from './_page.mjs';
import { intruders, kNoIntruders, openPart, signIn, withLivePage } from './_live.mjs';
import { startService } from './_service.mjs';

const kMarkup = '<img src=x onerror="window.hit=1">';

const kDevices = `
version: 1
gpus:
  - {name: Simulated H100}
  - {name: Simulated H100}
`;
/** One task a GPU, so that a third waits. */
const kConfig = `
gpu:
  monitoring: {interval: 1}
  multi_gpu: {max_concurrent_tasks_per_gpu: 1}
`;
/** "until" prints, waits for a file of that name in the folder that its first argument names, and prints again. */
const kTasks = JSON.stringify({
  types: {
    hello: { description: 'Greets', command: ['/bin/echo', 'hello'], allow_arguments: true },
    until: {
      command: ['/bin/sh', '-c', 'echo begun "$1"; until [ -e "$0/$1" ]; do sleep 0.05; done; echo over "$1"'],
      allow_arguments: true,
      memory_bytes: '8GiB',
    },
  },
});

/** ms in which a program starts or ends on a loaded machine. */
const kPatience = { timeout: 60_000 };
const service = await startService(kDevices, kConfig, kTasks);
after(() => service.stop());

/** Fills the form and sends it; the page of the task opens. */
async function submit(page, type, words, name) {
  await page.getByRole('navigation', { name: 'Tasks: sections' }).getByRole('link', { name: 'Submit' }).click();
  await page.getByLabel('Type').selectOption(type);
  await page.getByLabel('Arguments').fill(words);
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Submit', exact: true }).click();
  await page.getByRole('heading', { level: 2 }).filter({ hasText: `Task` }).filter({ hasText: name }).waitFor();
}

const state = (page, text) => page.locator('.task-head .badge').filter({ hasText: text }).waitFor(kPatience);
const letEnd = (name) => writeFileSync(join(service.home, name), '');

test('from sign-in over a submitted task and its explanation to its log', async () => {
  await withLivePage(service.url, {}, async (page) => {
    await signIn(page, service.keys.submit.secret);
    await openPart(page, 'Tasks');
    await page.getByText('No tasks are waiting.').waitFor();
    await submit(page, 'hello', `'two words' '${kMarkup}'`, kMarkup);
    await state(page, 'succeeded');
    // Where it went, and why: each GPU with its score.
    const why = page.locator('.explanation');
    await why.getByText(/least_loaded/).waitFor();
    const chosen = why.getByRole('row').filter({ hasText: 'chosen' });
    assert.equal(await chosen.count(), 1);
    assert.match(await chosen.innerText(), /gpu_[01]\s+chosen\s+\S+/);
    await page.locator('.log-box').getByText(`hello two words ${kMarkup}`).waitFor();
    await page.getByText('end of the output').waitFor();
    const attempt = page.locator('.attempts').getByRole('row').nth(1);
    assert.match(await attempt.innerText(), /exit status 0/);
    assert.deepEqual(await intruders(page), kNoIntruders);
  });
});

test('a task that waits says why, starts when another ends, and its output is followed', async () => {
  await withLivePage(service.url, { hash: '#tasks' }, async (page) => {
    await signIn(page, service.keys.submit.secret);
    for (const name of ['first', 'second']) {
      await submit(page, 'until', `${service.home} ${name}`, name);
      await state(page, 'running');
      await page.locator('.log-box').getByText(`begun ${name}`).waitFor(kPatience);
    }
    await submit(page, 'until', `${service.home} third`, 'third');
    await state(page, 'waiting');
    const why = page.locator('.explanation');
    await why.getByRole('row', { name: /gpu_0/ }).filter({ hasText: 'not eligible' }).waitFor();
    await why.getByRole('row', { name: /gpu_1/ }).filter({ hasText: 'not eligible' }).waitFor();
    await why.getByRole('heading', { name: 'Conditions to start' }).waitFor();
    await why.getByText('Expected start').waitFor();
    await page.getByText('The task has not started, so there is no output yet.').waitFor();

    await openPart(page, 'Tasks');
    await page.getByRole('grid', { name: 'Waiting' }).getByRole('row').filter({ hasText: 'third' }).waitFor();
    await page.getByRole('grid', { name: 'Running' }).getByRole('row').filter({ hasText: 'second' }).waitFor();
    assert.equal(await page.getByRole('row').filter({ hasText: '1 of 1' }).count(), 2, 'both GPUs are taken');
    await page.getByRole('grid', { name: 'Waiting' }).getByText('third').click();
    await page.getByRole('heading', { name: /third/ }).waitFor();
    letEnd('first');
    // By events alone: nobody loads the page.
    await state(page, 'running');
    await page.locator('.log-box').getByText('begun third').waitFor(kPatience);
    letEnd('third');
    await page.locator('.log-box').getByText('over third').waitFor(kPatience);
    await state(page, 'succeeded');
    await why.getByRole('row').filter({ hasText: 'chosen' }).waitFor();
    letEnd('second');

    await openPart(page, 'Tasks');
    await page.getByText('No tasks are running.').waitFor(kPatience);
    await page.getByRole('link', { name: 'All tasks' }).click();
    await page.getByLabel('State').selectOption('over');
    await page.getByLabel('Type').selectOption('until');
    await page.getByRole('grid', { name: 'Tasks' }).getByRole('row').filter({ hasText: 'third' }).waitFor();
    assert.equal(await page.getByRole('grid', { name: 'Tasks' }).getByRole('row').count(), 4, 'three and the head');
  });
});

test('a running task is cancelled; an admin changes the strategy, and the next decision is by it', async () => {
  await withLivePage(service.url, { hash: '#tasks' }, async (page) => {
    await signIn(page, service.keys.admin.secret);
    await page.getByLabel('Strategy').first().selectOption('round_robin');
    await page.getByRole('button', { name: 'Apply: Strategy' }).click();
    await page.getByText('least_loaded → round_robin').waitFor();
    await submit(page, 'until', `${service.home} never`, 'never');
    await page
      .locator('.explanation')
      .getByText(/Strategy round_robin/)
      .waitFor(kPatience);
    await page.locator('.log-box').getByText('begun never').waitFor(kPatience);
    await page.getByRole('article').getByRole('button', { name: 'Cancel the task' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the task' }).click();
    await state(page, 'cancelled');
    await page.getByText('end of the output').waitFor(kPatience);
  });
});
