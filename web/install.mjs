// Gets tools from npm by a lock file: node install.mjs [FOLDER], without FOLDER the page's. Does nothing when they are there
// already, so that every build tree, test and check can call it first.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const web = dirname(fileURLToPath(import.meta.url));
const here = resolve(process.argv[2] ?? web);
const lock = join(relative(dirname(web), here), 'package-lock.json');
/** Holds what was installed; npm ci removes it with all else before it installs anew. */
const stamp = join(here, 'node_modules', '.installed');
const wanted = createHash('sha256')
  .update(readFileSync(join(here, 'package.json')))
  .update(readFileSync(join(here, 'package-lock.json')))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  // One retry: npm's own two wait for more than a minute where there is no network.
  const { status, error } = spawnSync('npm', ['ci', ...options, '--fetch-retries=1', '--fetch-retry-mintimeout=1000'], {
    cwd: here,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (error || status !== 0) {
    const why = error ? ` (${error.message})` : '; its reason stands above';
    console.error(`sonde: npm could not install the tools that ${lock} lists${why}.`);
    console.error('sonde: Is the network there? Behind a mirror, set npm to it: npm config set registry URL');
    process.exit(1);
  }
  writeFileSync(stamp, wanted);
}
