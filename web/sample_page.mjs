// Writes pages for looking at: node sample_page.mjs FOLDER makes sample.html (one profile), comparison.html (two) and
// damaged.html there, from test/sample_report.ts, with the frame that `sonde report` writes.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
if (!folder) throw new Error('say where to: node sample_page.mjs FOLDER');
mkdirSync(folder, { recursive: true });

const work = mkdtempSync(join(tmpdir(), 'sonde-sample-'));
const built = spawnSync(process.execPath, [join(here, 'build.mjs'), work], { stdio: 'inherit' });
if (built.status !== 0) process.exit(built.status ?? 1);
const script = readFileSync(join(work, 'page.js'), 'utf8');
const style = readFileSync(join(work, 'page.css'), 'utf8');
await build({
  entryPoints: [join(here, 'test/sample_report.ts')],
  outfile: join(work, 'sample_report.mjs'),
  bundle: true,
  platform: 'node',
  format: 'esm',
});
const samples = await import(pathToFileURL(join(work, 'sample_report.mjs')).href);
rmSync(work, { recursive: true });

const sha = (text) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

function pageOf({ document, blobs }) {
  const policy = `default-src 'none'; script-src ${sha(script)}; style-src ${sha(style)}; base-uri 'none'; form-action 'none'`;
  const json = JSON.stringify(document).replaceAll('<', '\\u003c');
  const parts = Array.from(
    blobs,
    ([id, text]) => `<script type="application/vnd.sonde.blob" id="${id}">${text}</script>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sonde</title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<script type="application/json" id="sonde-report">${json}</script>
<script>${script}</script>
${parts.join('\n')}
</body>
</html>
`;
}

writeFileSync(join(folder, 'sample.html'), pageOf(samples.sampleReport()));
writeFileSync(join(folder, 'comparison.html'), pageOf(samples.sampleComparison()));
writeFileSync(join(folder, 'damaged.html'), pageOf(samples.sampleDamaged()));
