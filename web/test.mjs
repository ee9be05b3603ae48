// Runs the unit tests of the page's modules: every test/*.test.ts, under node's own test runner.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { valuesPlugin } from './values_plugin.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'sonde-web-'));
const tests = readdirSync(join(here, 'test')).filter((name) => name.endsWith('.test.ts') || name.endsWith('.test.tsx'));
await build({
  entryPoints: tests.map((name) => join(here, 'test', name)),
  absWorkingDir: here,
  outdir: folder,
  bundle: true,
  platform: 'node',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [valuesPlugin],
  loader: { '.css': 'empty' },
  sourcemap: 'inline',
  logLevel: 'warning',
});
const built = tests.map((name) => join(folder, name.replace(/\.tsx?$/, '.mjs')));
const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...built], { stdio: 'inherit' });
rmSync(folder, { recursive: true });
process.exit(status ?? 1);
