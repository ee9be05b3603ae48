// The live page of `sonde serve` itself: signs in, sees a simulated GPU heat up and the incident appear.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { test, until } from './_page.mjs';
import { intruders, keyField, kNoIntruders, openPart, parts, signIn, withLivePage } from './_live.mjs';
import { startService } from './_service.mjs';

const kMarkup = '<img src=x onerror="window.hit=1">';

/** The first stays cool. The second has a name with markup and full load: above 45 °C within seconds, permanently. */
const kDevices = `
version: 1
gpus:
  - name: Simulated H100
    load:
      - {at: 0 s, utilization: 20 %, memory: 4 GiB, pid: 4243, process: serve}
  - name: 'Simulated ${kMarkup}'
    time_constant: 4 s
    load:
      - {at: 0 s, utilization: 0 %}
      - {at: 2 s, utilization: 100 %, memory: 40 GiB, pid: 4242, process: '<script>window.hit=1</script>'}
`;
const kConfig = `
gpu:
  max_temperature: 45
  monitoring: {interval: 1}
`;

/** ms; the detector wants the chip to be hot for 20 s. */
const kUntilHot = 90_000;
const service = await startService(kDevices, kConfig);
after(() => service.stop());

const kRefused = /Failed to load resource: the server responded with a status of 401/;

test('a GPU heats up, and the incident appears', async () => {
  await withLivePage(service.url, { expected: [kRefused] }, async (page) => {
    await keyField(page).fill('sonde_0123abcd_wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'wrong, revoked or expired' }).waitFor();
    await signIn(page, service.keys.submit.secret);
    await page.locator('.connection.live').waitFor();
    const card = page.locator('.gpu').nth(1);
    // It cools down no more: over 45 °C means that it was seen to heat up by events, without a load of the page.
    await page.waitForFunction(
      () =>
        Number.parseInt(document.querySelectorAll('.gpu')[1]?.querySelector('.temperature .metric-now')?.textContent) >
        45,
      null,
      { timeout: kUntilHot },
    );
    await parts(page).getByText('1', { exact: true }).waitFor({ timeout: kUntilHot });
    await card.getByText('critical').waitFor();
    assert.match(await page.title(), /^\(1\) /);
    assert.match(await page.locator('.unseen').innerText(), /GPU 1/);
    assert.deepEqual(
      await page.locator('.gpu').first().getByText('healthy').count(),
      1,
      'the other one is not affected',
    );
    await card.getByRole('link', { name: '1 open incident' }).click();
    const incident = page.locator('.incident');
    await incident.getByText(/GPU 1 is at .*; gpu.max_temperature is 45/).waitFor();
    await incident.getByRole('button', { name: 'Acknowledge' }).click();
    await incident.getByText(`by ${service.keys.submit.name}`).waitFor();
    assert.ok(await incident.getByRole('button', { name: 'Clear' }).isDisabled(), 'that needs an admin');
  });
});

test('a GPU shows its history, values and processes; names that are markup stay text', async () => {
  await withLivePage(service.url, { hash: '#gpus/gpu_1', colorScheme: 'dark' }, async (page) => {
    await signIn(page, service.keys.read.secret);
    await page.getByRole('heading', { level: 2 }).filter({ hasText: kMarkup }).waitFor();
    const chart = page.locator('.history-chart', { hasText: 'Temperature' });
    await chart.getByRole('img').waitFor();
    await until(page, () => document.querySelectorAll('.history-chart .series').length >= 4);
    const summary = await chart.getByRole('img').getAttribute('aria-label');
    const [, least, most] = /minimum (\d+).*maximum (\d+)/.exec(summary);
    assert.ok(Number(least) < Number(most) && Number(most) > 45, summary);
    await page.getByText('<script>window.hit=1</script>').first().waitFor();
    await page.getByText('All values', { exact: true }).click();
    const row = page.locator('.all-values tr[title=memory_total_bytes]');
    assert.match(await row.innerText(), /80\s?GiB/);
    assert.match(await page.locator('.all-values tr[title=fan_speed_percent]').innerText(), /–/);
    assert.deepEqual(await intruders(page), kNoIntruders);
    assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'dark');
    assert.ok((await page.getByText('simulated').count()) >= 2);
  });
});

test('every part answers without a mouse and without a complaint', async () => {
  await withLivePage(service.url, {}, async (page) => {
    await signIn(page, service.keys.admin.secret);
    for (const [key, text] of [
      ['2', 'Strategy'],
      ['3', 'gpu.max_temperature is 45'],
      ['4', 'serve'],
      ['5', 'GPU time that was paid for'],
      ['6', 'gpu.monitoring.interval'],
      ['1', '2 GPUs'],
    ]) {
      await page.keyboard.press(key);
      await page.getByText(text).first().waitFor();
      assert.deepEqual(await intruders(page), kNoIntruders, text);
    }
    await openPart(page, 'Configuration');
    await page.getByLabel('Concurrent tasks per GPU').first().fill('12');
    await page.keyboard.press('Enter');
    await page.getByText('8 → 12').waitFor();
    await page
      .getByRole('row', { name: /max_concurrent_tasks_per_gpu/ })
      .getByText('changed at run time')
      .waitFor();
    await page.getByLabel('Strategy').first().selectOption('round_robin');
    await page.getByRole('button', { name: 'Apply: Strategy' }).click();
    await page.getByText('least_loaded → round_robin').waitFor();
  });
});

test('a key that is revoked leads back to the sign-in', async () => {
  await withLivePage(service.url, { expected: [kRefused, /net::/] }, async (page) => {
    await signIn(page, service.keys.read.secret);
    await page.locator('.gpu').first().waitFor();
    service.revoke(service.keys.read);
    await page.getByRole('alert').filter({ hasText: 'revoked or has expired' }).waitFor({ timeout: kUntilHot });
  });
});
