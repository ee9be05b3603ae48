// Runs `sonde serve` on simulated GPUs for a test, on loopback at a free port.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { folder } from './_program.mjs';

const program = process.env.SONDE;
/** ms until a service on a loaded machine listens, or ends. */
const kPatience = 60_000;
/** ms between two checks of an awaited condition. */
const kLook = 50;

async function eventually(what, holds) {
  for (const end = Date.now() + kPatience; !holds(); await pause(kLook))
    if (Date.now() > end) throw new Error(`it did not come: ${what}`);
}

/** A service of its own folder: {url, keys, stop(), ...}. `devices`, `config` and `tasks` (what it takes) are YAML. */
export async function startService(devices, config = '', tasks = '{}') {
  const home = mkdtempSync(join(folder, 'service-'));
  const file = (name, text) => {
    writeFileSync(join(home, name), text);
    return join(home, name);
  };
  const described = file('gpus.yaml', devices);
  const configured = file(
    'config.yaml',
    `${config}\nsonde:\n  server: {port: 0, port_file: port, keys_file: keys.json}\n  history: {path: state}\n  tasks: ${tasks}\n`,
  );
  const key = (role, ...options) => {
    const name = `${role}-${Math.random().toString(36).slice(2)}`;
    const made = spawnSync(program, ['keys', 'add', name, '--role', role, '--config', configured, ...options], {
      encoding: 'utf8',
    });
    if (made.status !== 0) throw new Error(made.stderr);
    return { name, secret: made.stdout.trim() };
  };
  const revoke = ({ name }) => spawnSync(program, ['keys', 'revoke', name, '--config', configured]);
  const keys = Object.fromEntries(['read', 'submit', 'admin'].map((role) => [role, key(role)]));
  const service = spawn(program, ['serve', '--config', configured, '--simulated', described], { cwd: home });
  let said = '';
  service.stderr.on('data', (text) => (said += text));
  service.stdout.on('data', (text) => (said += text));
  const ended = new Promise((done) => service.on('exit', done));
  const kill = () => service.kill('SIGKILL');
  process.on('exit', kill);
  const port = join(home, 'port');
  await eventually('the service listens', () => {
    if (service.exitCode !== null) throw new Error(`sonde serve ended with ${service.exitCode}: ${said}`);
    return existsSync(port) && readFileSync(port, 'utf8').includes(':');
  });
  return {
    home,
    url: `http://${readFileSync(port, 'utf8').trim()}/`,
    keys,
    revoke,
    said: () => said,
    stop: async () => {
      service.kill('SIGTERM');
      await ended;
      process.off('exit', kill);
    },
  };
}
