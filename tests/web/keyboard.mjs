// The page without a mouse: the timeline's keys as in Perfetto and Nsight, and the Tab key over all controls.
import assert from 'node:assert/strict';
import {
  focusTracks,
  searchFor,
  selected,
  settledView,
  tab,
  test,
  timeline,
  timelineReady,
  until,
  withPage,
} from './_page.mjs';
import { reportOf, synth } from './_program.mjs';

const report = reportOf(synth('--plant', 'gap'));
const lengthOf = (view) => view.end - view.start;
const middleOf = (view) => (view.start + view.end) / 2;

const onTimeline = (name, body) =>
  test(name, () =>
    withPage(report, { hash: '#timeline' }, async (page) => {
      await timelineReady(page);
      await focusTracks(page);
      await body(page, await settledView(page));
    }),
  );

/** What is shown after a key has done its work. */
async function after(page, key) {
  await page.keyboard.press(key);
  return settledView(page);
}

onTimeline('w and s zoom', async (page, whole) => {
  const near = await after(page, 'w');
  assert.ok(lengthOf(near) < lengthOf(whole), 'w shows less');
  const nearer = await after(page, 'w');
  assert.ok(lengthOf(nearer) < lengthOf(near), 'w again shows less still');
  assert.ok(lengthOf(await after(page, 's')) > lengthOf(nearer), 's shows more');
});

for (const [left, right] of [
  ['a', 'd'],
  ['ArrowLeft', 'ArrowRight'],
]) {
  onTimeline(`${left} and ${right} move`, async (page) => {
    for (let i = 0; i < 4; ++i) await after(page, 'w');
    const here = await settledView(page);
    const there = await after(page, right);
    assert.ok(middleOf(there) > middleOf(here), `${right} moves on`);
    assert.ok(Math.abs(lengthOf(there) - lengthOf(here)) < 1e-6 * lengthOf(here) + 2, 'and keeps the length');
    assert.ok(middleOf(await after(page, left)) < middleOf(there), `${left} moves back`);
  });
}

onTimeline('0 shows the whole run', async (page, whole) => {
  await after(page, 'w');
  await after(page, 'w');
  assert.deepEqual(await after(page, '0'), whole);
  assert.ok(whole.start <= 0 && whole.end >= report.document.profiles[0].span_ns);
});

onTimeline('f shows what is selected, Escape lets it go', async (page) => {
  await searchFor(page, 'gemm');
  await page.keyboard.press('Enter');
  await until(page, () => document.querySelector('.sonde-timeline').dataset.selected);
  await timeline(page).getByRole('searchbox').blur();
  await focusTracks(page);
  await after(page, '0');
  const near = await after(page, 'f');
  assert.ok(lengthOf(near) < report.document.profiles[0].span_ns / 2, 'f zooms to it');
  await page.keyboard.press('Escape');
  await until(page, () => !document.querySelector('.sonde-timeline').dataset.selected);
  assert.equal(await selected(page), '');
});

onTimeline('? says which keys there are', async (page) => {
  await page.keyboard.press('?');
  const help = page.getByRole('dialog');
  await help.waitFor();
  for (const key of ['W', 'Esc']) assert.ok((await help.innerText()).includes(key), `tells of ${key}`);
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'hidden' });
});

onTimeline('keys typed into the search are text', async (page, whole) => {
  await timeline(page).getByRole('searchbox').focus();
  await page.keyboard.type('wasd0f?');
  assert.equal(await timeline(page).getByRole('searchbox').inputValue(), 'wasd0f?');
  assert.deepEqual(await settledView(page), whole);
});

/** A name for the element that has the focus; null for the page itself. */
const focused = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    window.numbers ??= new Map();
    if (!window.numbers.has(element)) window.numbers.set(element, window.numbers.size);
    return `${window.numbers.get(element)} ${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent.slice(0, 40)}`;
  });

/** Elements that a mouse can use and Tab has to reach. Of a tab list and the like arrow keys reach the others. */
const wanted = (page) =>
  page.evaluate(() => {
    const seen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.tabIndex >= 0;
    return [...document.querySelectorAll('a[href],button,input,select,textarea,summary,[tabindex]')].filter(
      (element) => seen(element) && !element.disabled,
    ).length;
  });

for (const part of ['overview', 'timeline', 'modules', 'kernels', 'copies', 'steps', 'tables', 'capture']) {
  test(`Tab reaches everything of ${part} and leaves it again`, () =>
    withPage(report, { hash: `#${part}` }, async (page) => {
      await tab(page, 'Overview').waitFor();
      if (part === 'timeline') await timelineReady(page);
      await page.locator('.waiting').waitFor({ state: 'detached' });
      const reached = new Set();
      const there = await wanted(page);
      for (let i = 0; i < 2 * there; ++i) {
        await page.keyboard.press('Tab');
        const name = await focused(page);
        if (name === null) break;
        assert.ok(!reached.has(name), `the focus is caught: ${name}`);
        reached.add(name);
      }
      assert.ok(reached.size >= there, `${reached.size} of ${there} reached: ${[...reached].join('; ')}`);
      const order = [...reached];
      for (const name of order.slice(-3).reverse()) {
        await page.keyboard.press('Shift+Tab');
        assert.equal(await focused(page), name, 'Shift+Tab goes the same way back');
      }
    }));
}

test('arrow keys move over the tabs, Enter opens one', () =>
  withPage(report, {}, async (page) => {
    await tab(page, 'Overview').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.locator('#tab-modules[aria-selected=true]').waitFor();
  }));
