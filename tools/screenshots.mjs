#!/usr/bin/env node
// Takes the pictures of the README and the docs: tools/screenshots.mjs SONDE FOLDER [NAME...]. Names are those of `pictures`
// below, all by default. `record` needs Debian's python3-torch; `operate` takes two and a half minutes, since a simulated GPU
// fails after two.
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from '../web/node_modules/playwright-core/index.mjs';

const [program, target, ...names] = process.argv.slice(2);
if (!target) throw new Error('usage: tools/screenshots.mjs SONDE FOLDER [NAME...]');
const sondePath = resolve(program);
const tree = join(dirname(fileURLToPath(import.meta.url)), '..');
const work = mkdtempSync(join(tmpdir(), 'sonde-pictures-'));
for (const name of ['demo', 'examples', 'service']) mkdirSync(join(work, name));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

/** ms that an animation of a page takes at most. */
const kSettled = 1000;
/** ms after which the second GPU of examples/simulated_host.yaml is lost, and the page shows it. */
const kGpuLost = 150_000;

/** Runs Sonde in the temporary folder, so that pictures show relative paths; exit statuses of `accepted` are right. */
function sonde(words, accepted = [0]) {
  try {
    return execFileSync(sondePath, words, { cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  } catch (error) {
    if (accepted.includes(error.status)) return error.stdout;
    throw error;
  }
}

const once = (make) => {
  let made = null;
  return () => (made ??= make());
};

const inference = once(() => {
  const plants = ['--plant', 'gap', '--plant', 'pageable'];
  sonde(['synth', '--program', 'inference', ...plants, '--seed', '1', '-o', 'demo/inference.sqlite']);
  sonde(['report', 'demo/inference.sqlite', '-o', 'demo/inference.html']);
  return join(work, 'demo/inference.html');
});

const verdict = () => {
  inference();
  sonde(['synth', '--program', 'inference', '--plant', 'gap', '--seed', '1', '-o', 'demo/pinned.sqlite']);
  copyFileSync(join(tree, 'examples/budget.yaml'), join(work, 'examples/budget.yaml'));
  const sides = ['--base', 'demo/pinned.sqlite', '--new', 'demo/inference.sqlite'];
  sonde(['gate', '--budget', 'examples/budget.yaml', ...sides, '-o', 'demo/verdict.html'], [1]);
  return join(work, 'demo/verdict.html');
};

const recording = () => {
  copyFileSync(join(tree, 'examples/rtdetr.py'), join(work, 'examples/rtdetr.py'));
  const model = ['examples/rtdetr.py', '--plain', '--device', 'cpu', '--steps', '3', '--size', '256'];
  sonde(['record', '--torch-modules', '-s', 'process-tree', '-o', 'demo/rtdetr', '--', '/usr/bin/python3', ...model]);
  sonde(['report', 'demo/rtdetr.sqlite', '-o', 'demo/rtdetr.html']);
  return join(work, 'demo/rtdetr.html');
};

async function openReport(page, path, tab) {
  await page.goto(pathToFileURL(path).href);
  await page.getByRole('tab', { name: tab }).click();
  await page.waitForTimeout(kSettled);
}

/** A service on simulated GPUs, until this script ends: {url, key}. */
async function startService() {
  const configuration =
    'sonde:\n  server: {port: 0, port_file: port, keys_file: keys.json}\n  history: {path: state}\n';
  const home = join(work, 'service');
  writeFileSync(join(home, 'config.yaml'), configuration);
  const key = sonde(['keys', 'add', 'lead', '--role', 'admin', '--config', 'service/config.yaml']).trim();
  const host = join(tree, 'examples/simulated_host.yaml');
  const options = ['--config', 'config.yaml', '--simulated', host];
  const service = spawn(sondePath, ['serve', ...options], { cwd: home, stdio: 'ignore' });
  process.on('exit', () => service.kill());
  const port = join(home, 'port');
  while (!existsSync(port) || !readFileSync(port, 'utf8').includes(':')) {
    if (service.exitCode !== null) throw new Error(`sonde serve ended with ${service.exitCode}`);
    await pause(100);
  }
  return { url: `http://${readFileSync(port, 'utf8').trim()}/`, key };
}

const pictures = {
  overview: async (page) => openReport(page, inference(), 'Overview'),
  timeline: async (page) => {
    await openReport(page, inference(), 'Overview');
    await page
      .getByRole('link', { name: / on GPU 0/ })
      .first()
      .click();
    await page.locator('.sonde-timeline[data-ready=true]').waitFor();
    await page.waitForTimeout(kSettled);
  },
  guard: async (page) => openReport(page, verdict(), 'Verdict'),
  record: async (page) => openReport(page, recording(), 'Modules'),
  operate: async (page) => {
    const service = await startService();
    await page.goto(service.url);
    await page.locator('input[name=sonde-key]').fill(service.key);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Sections of the page' }).waitFor();
    await page.waitForTimeout(kGpuLost);
  },
};

const browser = await chromium.launch({
  executablePath: process.env.SONDE_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
for (const name of names.length > 0 ? names : Object.keys(pictures)) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: 'light' });
  await pictures[name](page);
  await page.screenshot({ path: join(target, `${name}.png`) });
  await page.close();
}
await browser.close();
process.exit(0); // the service still runs
