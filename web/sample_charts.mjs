// Writes pages with sample data for looking at the charts: node sample_charts.mjs FOLDER. Styles and scripts are under
// the same content security policy as in a report.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
if (!folder) throw new Error('node sample_charts.mjs FOLDER: where to write the pages?');
mkdirSync(folder, { recursive: true });

const common = {
  absWorkingDir: here,
  bundle: true,
  charset: 'utf8',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
};
await build({
  ...common,
  entryPoints: { page: join(here, 'test/sample_page.tsx') },
  outdir: folder,
  format: 'iife',
  target: 'es2022',
});
const sample = join(folder, 'sample_sections_report.mjs');
await build({
  ...common,
  entryPoints: [join(here, 'test/sample_sections_report.ts')],
  outfile: sample,
  platform: 'node',
  format: 'esm',
});
const { sampleReport } = await import(pathToFileURL(sample).href);

const script = readFileSync(join(folder, 'page.js'), 'utf8');
const style = `${readFileSync(join(folder, 'page.css'), 'utf8')}body{font:14px system-ui,sans-serif;margin:16px}`;
const sha = (text) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
const policy = `default-src 'none'; script-src ${sha(script)}; style-src ${sha(style)}`;

for (const kind of ['full', 'compared', 'empty', 'long', 'bare']) {
  const { document, blobs } = sampleReport(kind);
  const parts = Object.entries(blobs).map(
    ([id, text]) => `<script type="application/vnd.sonde.blob" id="${id}">${text}</script>`,
  );
  writeFileSync(
    join(folder, `${kind}.html`),
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>sample</title>
<style>${style}</style></head><body><div id="page"></div>
<script type="application/json" id="sonde-report">${JSON.stringify(document).replaceAll('<', '\\u003c')}</script>
${parts.join('\n')}
<script>${script}</script></body></html>`,
  );
}
