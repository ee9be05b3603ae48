// Writes a page with the timeline alone: node sample.mjs FOLDER EVENTS [KEY=NUMBER]..., keys as in
// test/sample_timeline.ts (gpus, ranks, profiles, workers, calls, merge, seed).
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const [folder, events, ...more] = process.argv.slice(2);
if (!folder || !(Number(events) > 0)) {
  console.error(
    'usage: node sample.mjs FOLDER EVENTS [gpus=N] [ranks=N] [profiles=N] [workers=N] [calls=N] [merge=N] [seed=N]',
  );
  process.exit(2);
}
const common = { absWorkingDir: here, bundle: true, jsx: 'automatic', jsxImportSource: 'preact', logLevel: 'warning' };
mkdirSync(folder, { recursive: true });
await build({
  ...common,
  entryPoints: { sample_timeline_page: join(here, 'test/sample_page.tsx'), main: join(here, 'src/main.tsx') },
  outdir: folder,
  minify: true,
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
});
const maker = resolve(folder, 'sample_timeline.mjs');
await build({
  ...common,
  entryPoints: [join(here, 'test/sample_timeline.ts')],
  outfile: maker,
  platform: 'node',
  format: 'esm',
});
const { sampleReport } = await import(pathToFileURL(maker).href);
const options = Object.fromEntries(more.map((pair) => pair.split('=')).map(([key, value]) => [key, Number(value)]));
const { document, blobs } = sampleReport({ events: Number(events), ...options });

const read = (name) => readFileSync(join(folder, name), 'utf8');
const json = JSON.stringify(document).replaceAll('<', '\\u003c');
const parts = Array.from(
  blobs,
  ([id, text]) => `<script type="application/vnd.sonde.blob" id="${id}">${text}</script>`,
).join('\n');
writeFileSync(
  join(folder, 'sample.html'),
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sample</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<style>${read('main.css')}${read('sample_timeline_page.css')} html,body,#page{margin:0;height:100%}</style></head>
<body><div id="page"></div>
<script type="application/json" id="sonde-report">${json}</script>
${parts}
<script>${read('sample_timeline_page.js')}</script></body></html>
`,
);
for (const name of ['main.js', 'main.css', 'sample_timeline_page.js', 'sample_page.css', 'sample_timeline.mjs'])
  rmSync(join(folder, name));
