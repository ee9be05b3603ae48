#!/usr/bin/env node
// Takes the pictures of the README: tools/screenshots.mjs REPORT.html FOLDER, with the report of ./dev demo.
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from '../web/node_modules/playwright-core/index.mjs';

const [report, folder] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.SONDE_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 720 }, colorScheme: 'light' });
await page.goto(pathToFileURL(resolve(report)).href);
await page.getByRole('tab', { name: 'Overview' }).waitFor();
await page.screenshot({ path: join(folder, 'overview.png') });
await page.getByRole('link', { name: / on GPU 0/ }).first().click();
await page.locator('.sonde-timeline[data-ready=true]').waitFor();
await page.waitForTimeout(1000); // the view moves there
await page.screenshot({ path: join(folder, 'timeline.png') });
await browser.close();
