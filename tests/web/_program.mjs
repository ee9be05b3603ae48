// Runs the program for tests of the page: profiles, reports, and the statistics that the page's numbers must equal.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';

const program = process.env.SONDE;
if (!program) {
  console.error('SONDE has to name the program that is tested');
  process.exit(2);
}

/** Gone when the test ends. */
export const folder = mkdtempSync(join(tmpdir(), 'sonde-page-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Status and what was said, whatever it was. */
export function asked(...arguments_) {
  const run = spawnSync(program, arguments_.map(String), { encoding: 'utf8', maxBuffer: 1 << 30 });
  if (run.error) throw run.error;
  return { status: run.status, out: run.stdout, said: run.stderr };
}

/** What it printed; it has to succeed. */
export function sonde(...arguments_) {
  const { status, out, said } = asked(...arguments_);
  if (status !== 0) throw new Error(`sonde ${arguments_.join(' ')} ended with ${status}: ${said}`);
  return out;
}

let made = 0;

export function fileName(suffix) {
  return join(folder, `${++made}${suffix}`);
}

/** A simulated profile: synth('--plant', 'gap') */
export function synth(...options) {
  const path = fileName('.sqlite');
  sonde('synth', '--seed', 1, ...options, '-o', path);
  return path;
}

const kGolden = join(import.meta.dirname, '../golden');
const kPrepare = 'import sys; sys.path.insert(0, sys.argv[1]); import run; run.prepare(*map(run.Path, sys.argv[2:4]))';

/** An input of a golden test: inputOf('stats/cpu_function_sum', 'samples.sqlite') */
export function inputOf(golden, name) {
  const work = fileName('');
  const made = spawnSync('python3', ['-c', kPrepare, kGolden, join(kGolden, golden), work], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`${golden}: ${made.stderr}`);
  return join(work, name);
}

/** A report of these files and options; `document` and `blob(id)` are read from it without the page's code. */
export function reportOf(...files) {
  const path = fileName('.html');
  sonde('report', ...files, '-o', path);
  return readReport(path);
}

export function readReport(path) {
  const html = readFileSync(path, 'utf8');
  const element = (id) => new RegExp(`<script [^>]*id="${id}"[^>]*>([^<]*)</script>`).exec(html)?.[1];
  const blob = (id) => inflateRawSync(Buffer.from(element(id), 'base64'));
  return { path, document: JSON.parse(element('sonde-report')), blob, json: (id) => JSON.parse(blob(id).toString()) };
}

/** Rows of RFC 4180 text as arrays. */
export function csvRows(text) {
  const rows = [];
  let row = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (end === '' && quoted === undefined && plain === '' && row.length === 0) break;
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ',') {
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

/** Rows of CSV text by the names of its header. */
export function csvTable(text) {
  const [header, ...rows] = csvRows(text);
  return rows.map((row) => Object.fromEntries(header.map((name, i) => [name, row[i]])));
}

/** A report of `sonde stats`, a row an object. */
export function stats(report, ...files) {
  return csvTable(sonde('stats', '-q', '-r', report, '-f', 'csv', ...files));
}
