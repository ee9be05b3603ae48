// The live page with a stand-in for the service: conditions that no real host shows on demand. live.mjs uses the service.
import assert from 'node:assert/strict';
import { test, until, visibleText } from './_page.mjs';
import {
  excess,
  intruders,
  keyField,
  kNoIntruders,
  openPart,
  openPlace,
  parts,
  signIn,
  withLivePage,
} from './_live.mjs';
import { gpu, process_, StubService } from './_stub_service.mjs';
import { attempt, task } from './_stub_tasks.mjs';

/** A stand-in with so many GPUs. */
async function withService(count, body) {
  const service = await new StubService().start();
  service.gpus = Array.from({ length: count }, (_, i) => gpu(i));
  try {
    await body(service);
  } finally {
    service.stop();
  }
}

const refused = (status) => new RegExp(`Failed to load resource: the server responded with a status of ${status}`);

test('what the service answers to a sign-in is told in words', () =>
  withService(1, async (service) => {
    const expected = [401, 403, 429, 503].map(refused);
    await withLivePage(service.url, { expected }, async (page) => {
      const said = page.getByRole('alert');
      const tries = async (key, pattern) => {
        await keyField(page).fill(key);
        await page.keyboard.press('Enter');
        await said.filter({ hasText: pattern }).waitFor();
        assert.equal(await keyField(page).evaluate((field) => field === document.activeElement), true);
      };
      await tries('', /Enter a key/);
      await tries('schlüssel', /Not a valid key/);
      await tries('sonde_wrong', /wrong, revoked or expired/);
      for (const [status, pattern] of [
        [429, /Refused with 429.*Try again in 7 s/],
        [503, /Refused with 503/],
        [403, /Refused with 403/],
      ]) {
        service.failWith = status;
        await tries('sonde_read', pattern);
      }
      service.failWith = null;
      await signIn(page, 'sonde_read');
    });
  }));

test('a key is kept for the tab, or for the computer where that is wanted, and forgotten on leaving', () =>
  withService(1, async (service) => {
    await withLivePage(service.url, {}, async (page) => {
      const kept = () => page.evaluate(() => [sessionStorage.getItem('sonde.key'), localStorage.getItem('sonde.key')]);
      await signIn(page, 'sonde_read');
      assert.deepEqual(await kept(), ['sonde_read', null]);
      await page.reload();
      await page.locator('.gpu').waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      assert.deepEqual(await kept(), [null, null]);
      await page.getByLabel('Remember on this computer').check();
      await signIn(page, 'sonde_read');
      assert.deepEqual(await kept(), [null, 'sonde_read']);
      await page.getByRole('button', { name: 'Sign out' }).click();
      assert.deepEqual(await kept(), [null, null]);
    });
  }));

test('a key that expires leads back to the sign-in', () =>
  withService(2, async (service) => {
    await withLivePage(service.url, { expected: [refused(401), /ERR_|net::/] }, async (page) => {
      await signIn(page, 'sonde_read');
      await page.locator('.connection.live').waitFor();
      service.keys.clear();
      service.dropStreams();
      await page.getByRole('alert').filter({ hasText: 'revoked or has expired' }).waitFor();
      assert.equal(await page.evaluate(() => sessionStorage.getItem('sonde.key')), null);
    });
  }));

test('a connection that breaks is told, and goes on after the last event', () =>
  withService(1, async (service) => {
    await withLivePage(service.url, { expected: [/ERR_|net::/, refused(503)] }, async (page) => {
      await signIn(page, 'sonde_read');
      await page.locator('.connection.live').waitFor();
      service.gpus[0].values.temperature_celsius = 77;
      service.sendSamples();
      await page.getByText('77\u202f°C').waitFor();
      service.failWith = 503;
      service.dropStreams();
      await page
        .locator('.connection.reconnecting')
        .filter({ hasText: /last sample/ })
        .waitFor();
      service.failWith = null;
      await page.locator('.connection.live').waitFor();
      assert.equal(service.resumedAfter.at(-1), '1');
      service.gpus[0].values.temperature_celsius = 78;
      service.sendSamples();
      await page.getByText('78\u202f°C').waitFor();
    });
  }));

test('after missed events everything is read anew', () =>
  withService(1, async (service) => {
    await withLivePage(service.url, {}, async (page) => {
      await signIn(page, 'sonde_read');
      await page.locator('.connection.live').waitFor();
      service.gpus.push(gpu(1));
      service.send('reset', {});
      await page.getByText('2 GPUs').waitFor();
    });
  }));

test('a tab that nobody looks at follows no events', () =>
  withService(1, async (service) => {
    await withLivePage(service.url, {}, async (page) => {
      await signIn(page, 'sonde_read');
      await page.locator('.connection.live').waitFor();
      assert.equal(service.followers, 1);
      const hide = (hidden) =>
        page.evaluate((value) => {
          Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
          document.dispatchEvent(new Event('visibilitychange'));
        }, hidden);
      await hide(true);
      for (let i = 0; service.followers > 0 && i < 1000; ++i)
        await page.evaluate(() => new Promise(requestAnimationFrame));
      assert.equal(service.followers, 0);
      service.gpus[0].values.temperature_celsius = 81;
      await hide(false);
      await page.getByText('81\u202f°C').waitFor();
    });
  }));

test('unknown values are no zeros', () =>
  withService(1, async (service) => {
    const { values } = service.gpus[0];
    for (const name of Object.keys(values)) values[name] = null;
    Object.assign(service.gpus[0], {
      quality: 'absent',
      quality_reason: 'It never answered.',
      processes: null,
      nvlinks: null,
    });
    await withLivePage(service.url, {}, async (page) => {
      await signIn(page, 'sonde_read');
      const text = await page.locator('.gpu .metrics').innerText();
      assert.deepEqual(text.match(/\d+/g), null, text);
      assert.match(await page.locator('.gpu').innerText(), /It never answered/);
      await page.locator('.gpu h3 a').click();
      await page.getByRole('heading', { name: 'All values' }).or(page.getByText('All values')).first().click();
      const now = await page.locator('.all-values td.number').allInnerTexts();
      assert.ok(now.length > 10 && now.every((cell) => cell === '–'), now.join());
    });
  }));

const kHostile = [
  '<img src=x onerror="window.hit=1;alert(1)">',
  '</script><script>window.hit=1;alert(1)</script>',
  '"quotes\' and `ticks` ${7*7} &lt;b&gt;',
  'left\u202Ethgir\u2066isolated',
  '__proto__',
  'long'.repeat(2500),
  'اسم طويل '.repeat(30),
];

test('hostile names are shown as text, on narrow windows too', () =>
  withService(7, async (service) => {
    service.hostname = kHostile[0];
    service.gpus.forEach((one, i) => {
      const name = kHostile[i];
      one.name = name;
      one.quality_reason = name;
      one.quality = 'contradictory';
      one.processes = [process_(i, { name, user: name, command: name, container: name, pod: name, unit: name })];
      service.open(i + 1, one, { summary: name, action: name, subject: name, arguments: { [name]: name } });
    });
    service.waste.days = [
      {
        day: '2026-11-22',
        entries: kHostile.map((name, i) => ({
          gpu_uuid: `u${i}`,
          kind: 'held_idle',
          user: name,
          container: name,
          hours: 1,
          energy_kwh: null,
          money: null,
        })),
      },
    ];
    service.strategy = kHostile[1];
    for (const width of [360, 1440]) {
      await withLivePage(service.url, { width }, async (page) => {
        await signIn(page, 'sonde_admin');
        service.sendSamples();
        const check = async (what) => {
          assert.equal(await excess(page), 0, `${what} is too wide for ${width}`);
          assert.deepEqual(await intruders(page), kNoIntruders, what);
        };
        await page.locator('.gpu').nth(6).waitFor();
        await check('GPUs');
        for (const name of ['Tasks', 'Incidents', 'Processes', 'Waste', 'Configuration']) {
          await openPart(page, name);
          for (const details of await page.locator('details > summary').all()) await details.click();
          await check(name);
        }
        await openPart(page, 'GPUs');
        await page.locator('.gpu h3 a').first().click();
        await page.locator('.history-chart').first().waitFor();
        await check('a GPU');
        assert.ok((await visibleText(page)).includes('<img src=x onerror='));
      });
    }
  }));

test('64 GPUs stand in rows, on any window', () =>
  withService(64, async (service) => {
    for (const width of [360, 1000, 2560]) {
      await withLivePage(service.url, { width }, async (page) => {
        await signIn(page, 'sonde_read');
        await page.locator('.gpus.rows .gpu').nth(63).waitFor();
        assert.equal(await excess(page), 0);
        service.sendSamples();
        await page.getByRole('searchbox', { name: 'Filter GPUs' }).fill('gpu_63');
        await page.getByText('1 of 64 GPUs').waitFor();
      });
    }
  }));

test('roles: who may only read cannot acknowledge, an admin clears after a question', () =>
  withService(2, async (service) => {
    service.open(4, service.gpus[1], { severity: 'critical', xids: [79], summary: 'Fallen off the bus' });
    await withLivePage(service.url, { hash: '#incidents' }, async (page) => {
      await signIn(page, 'sonde_read');
      assert.ok(await page.getByRole('button', { name: 'Acknowledge' }).isDisabled());
      assert.ok(await page.getByRole('button', { name: 'Clear' }).isDisabled());
      await page.getByRole('button', { name: 'Sign out' }).click();
      await signIn(page, 'sonde_admin');
      await page.getByText('XID 79').waitFor();
      await page.getByRole('button', { name: 'Acknowledge' }).click();
      await page.getByText(/acknowledged .* by sonde_admin/).waitFor();
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.ok(!service.asked.some(([, path]) => path.endsWith('/clear')), 'Escape clears nothing');
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click();
      await page.getByText('No incident.').waitFor();
      await page.getByLabel('State').selectOption('all');
      await page.getByText(/cleared .* by sonde_admin/).waitFor();
    });
  }));

test('an admin changes the strategy', () =>
  withService(1, async (service) => {
    await withLivePage(service.url, { hash: '#configuration' }, async (page) => {
      await signIn(page, 'sonde_admin');
      await page.getByLabel('Strategy').first().selectOption('round_robin');
      await page.getByLabel('Keep after a restart').check();
      await page.getByRole('button', { name: 'Apply: Strategy' }).click();
      await page.getByText('least_loaded → round_robin').waitFor();
      await page.getByRole('cell', { name: 'round_robin', exact: true }).waitFor();
      const posts = service.asked.filter(([method]) => method === 'POST');
      assert.deepEqual(posts, [['POST', 'config/gpu/strategy', { strategy: 'round_robin', persist: true }]]);
      await page.getByLabel('Concurrent tasks per GPU').first().fill('0');
      await page.keyboard.press('Enter');
      await page.getByText('Enter a whole number of at least 1.').waitFor();
      assert.equal(service.asked.filter(([method]) => method === 'POST').length, 1);
    });
  }));

/** Goes over the page by Tab: what had the focus, in order, and whether each showed it. */
async function walk(page) {
  const stops = [];
  await page.evaluate(() => document.activeElement?.blur());
  for (let i = 0; i < 200; ++i) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const at = document.activeElement;
      if (!at || at === document.body) return null;
      const box = at.getBoundingClientRect();
      const style = getComputedStyle(at);
      const ring = at.closest('.table-scroll:has(table:focus-visible)') ?? at;
      const outline = getComputedStyle(ring).outlineStyle;
      window.walked ??= new Set();
      const again = window.walked.has(at);
      window.walked.add(at);
      return {
        what: `${at.tagName} ${at.getAttribute('aria-label') ?? at.textContent.slice(0, 40)}`,
        shows: outline !== 'none' && style.visibility === 'visible' && box.width > 0,
        again,
      };
    });
    if (stop?.again) break;
    // Behind the last one comes the window, and then the first.
    if (stop) stops.push(stop);
  }
  await page.evaluate(() => delete window.walked);
  return stops;
}

test('everything is reached by Tab and shows its focus', () =>
  withService(3, async (service) => {
    service.open(1, service.gpus[0]);
    service.tasks.add(task(1));
    service.tasks.add(task(2, { state: 'running', attempts: [attempt(service.gpus[0].uuid)] }));
    service.tasks.print(2, 'a line\n');
    const places = {
      all: 'All tasks',
      batches: 'Batches',
      types: 'Types',
      submit: 'Submit a task',
      2: 'Task 2 ',
    };
    await withLivePage(service.url, {}, async (page) => {
      await signIn(page, 'sonde_admin');
      for (const part of [
        'GPUs',
        'Tasks',
        'Incidents',
        'Processes',
        'Waste',
        'Configuration',
        ...Object.keys(places),
      ]) {
        if (places[part]) await openPlace(page, `#tasks/${part}`, places[part]);
        else await openPart(page, part);
        const stops = await walk(page);
        assert.deepEqual(
          stops.filter(({ shows }) => !shows),
          [],
          part,
        );
        const reachable = await page.evaluate(
          () =>
            Array.from(document.querySelectorAll('a[href],button,input,select,textarea,summary,[tabindex="0"]')).filter(
              (element) => !element.disabled && element.tabIndex >= 0 && element.checkVisibility(),
            ).length,
        );
        // Chromium also stops at boxes that scroll.
        assert.ok(
          stops.length >= reachable,
          `${part}: ${stops.length} of ${reachable}: ${stops.map((s) => s.what).join('; ')}`,
        );
      }
    });
  }));

test('shortcuts lead everywhere, and leave fields alone', () =>
  withService(3, async (service) => {
    await withLivePage(service.url, {}, async (page) => {
      await signIn(page, 'sonde_read');
      await page.locator('.gpu').first().waitFor();
      const current = () => page.locator('nav.tabs [aria-current=page]').innerText();
      for (const [key, part] of [
        ['2', 'Tasks'],
        ['3', 'Incidents'],
        ['4', 'Processes'],
        ['5', 'Waste'],
        ['6', 'Configuration'],
        ['1', 'GPUs'],
      ]) {
        await page.keyboard.press(key);
        await page.locator('nav.tabs [aria-current=page]', { hasText: part }).waitFor();
      }
      await page.locator('.gpu').first().waitFor();
      for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /gpu_1/ }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('3 GPUs').waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('2?');
      assert.equal(await current(), 'GPUs', 'digits in a field are text');
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await page.keyboard.press('2');
      assert.equal(await current(), 'GPUs', 'behind a dialog nothing happens');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    });
  }));

test('charts tell their points by arrow keys; spans and values can be chosen', () =>
  withService(1, async (service) => {
    await withLivePage(service.url, { hash: '#gpus/gpu_0' }, async (page) => {
      await signIn(page, 'sonde_read');
      await page.locator('.history-chart').nth(3).waitFor();
      await page.locator('.sonde-plot').first().focus();
      await page.keyboard.press('End');
      const told = page.locator('.sonde-tooltip:visible');
      await told.filter({ hasText: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/ }).waitFor();
      assert.match(await told.innerText(), /mean[\s\S]*minimum[\s\S]*maximum/);
      await page.getByLabel('SM clock').check();
      await page.locator('.history-chart', { hasText: 'SM clock' }).waitFor();
      await page.getByLabel('Time range').selectOption('7d');
      await page.getByText(/Each point covers 34\smin/).waitFor();
      for (const name of ['GPU utilization', 'Memory used', 'Temperature', 'Power draw', 'SM clock'])
        await page.getByLabel(name, { exact: true }).uncheck();
      await until(page, () => document.querySelectorAll('.history-chart').length === 0);
    });
  }));

test('light and dark follow the system, or the choice', () =>
  withService(1, async (service) => {
    await withLivePage(service.url, { colorScheme: 'dark' }, async (page) => {
      const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      await signIn(page, 'sonde_read');
      assert.equal(await background(), 'rgb(22, 25, 29)');
      await page.getByLabel('Theme').selectOption('light');
      assert.equal(await background(), 'rgb(255, 255, 255)');
      await page.reload();
      await parts(page).waitFor();
      assert.equal(await background(), 'rgb(255, 255, 255)');
    });
  }));
