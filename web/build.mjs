// Builds the two pages: node build.mjs FOLDER writes there page.js, page.css and page_assets.cc, the report's, and live.js,
// live.css, live/ and live_assets.cc, those of `sonde serve`. The program is built with the .cc files.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { darkPlugin } from './dark_plugin.mjs';
import { valuesPlugin } from './values_plugin.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, 'dist');

await build({
  entryPoints: { page: join(here, 'src/main.tsx'), live: join(here, 'src/live/main.tsx') },
  absWorkingDir: here,
  outdir: folder,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'inline',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  plugins: [valuesPlugin, darkPlugin],
  logLevel: 'warning',
});

/** What an HTML element cannot hold as it stands: the end of itself. */
function checked(name, text) {
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${name} holds text that would end its element`);
  return text;
}

/** A C++ array of characters: string literals have limits, arrays have none. Of a text or of bytes. */
function bytesLiteral(name, content) {
  const bytes = Buffer.from(content);
  const lines = [];
  for (let at = 0; at < bytes.length; at += 32)
    lines.push(Array.from(bytes.subarray(at, at + 32), (b) => (b > 127 ? b - 256 : b)).join(','));
  return `constexpr char ${name}[] = {\n${lines.join(',\n')}};\n`;
}

const sha = (text) => `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;
const built = (name) => readFileSync(join(folder, name), 'utf8');
const script = checked('page.js', built('page.js'));
const style = checked('page.css', built('page.css'));

mkdirSync(folder, { recursive: true });
writeFileSync(
  join(folder, 'page_assets.cc'),
  `// Made by web/build.mjs.
#include "report/page/page_assets.h"

namespace sonde {
namespace {
${bytesLiteral('kScript', script)}${bytesLiteral('kStyle', style)}}  // namespace

const PageAssets& page_assets() {
  static const PageAssets assets{{kScript, sizeof(kScript)}, {kStyle, sizeof(kStyle)}, "${sha(script)}", "${sha(style)}"};
  return assets;
}

}  // namespace sonde
`,
);

const digest = (text) => createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 16);

/** A file that its name changes with, so that browsers may keep it for ever. */
function hashed(name, type, text) {
  const [stem, suffix] = name.split('.');
  return { path: `/assets/${stem}-${digest(text)}.${suffix}`, type, text };
}

const assets = [
  hashed('live.js', 'text/javascript; charset=utf-8', built('live.js')),
  hashed('live.css', 'text/css; charset=utf-8', built('live.css')),
  hashed('icon.svg', 'image/svg+xml', readFileSync(join(here, 'src/live/icon.svg'), 'utf8')),
];
/** Addresses within the page are relative, so that it also works below a path of a reverse proxy. */
const index = assets.reduce(
  (html, { path }) => html.replace(`{${/(live|icon)-.*(\.\w+)$/.exec(path).slice(1).join('')}}`, path.slice(1)),
  readFileSync(join(here, 'src/live/index.html'), 'utf8'),
);
const all = [{ path: '/', type: 'text/html; charset=utf-8', text: index }, ...assets].map((asset) => ({
  ...asset,
  packed: gzipSync(asset.text, { level: 9 }),
}));
/** The same as files, to open the page without the program. */
rmSync(join(folder, 'live'), { recursive: true, force: true });
mkdirSync(join(folder, 'live/assets'), { recursive: true });
for (const { path, text } of all) writeFileSync(join(folder, 'live', path === '/' ? 'index.html' : path), text);

const rows = all.map(
  ({ path, type, text }, i) =>
    `    {"${path}", "${type}", {kAsset${i}, sizeof(kAsset${i})}, "\\"${digest(text)}\\"", true},`,
);

writeFileSync(
  join(folder, 'live_assets.cc'),
  `// Made by web/build.mjs.
#include "server/asset.h"

namespace sonde::server {
namespace {
${all.map(({ packed }, i) => bytesLiteral(`kAsset${i}`, packed)).join('')}
constexpr Asset kAssets[] = {
${rows.join('\n')}
};

}  // namespace

std::span<const Asset> live_assets() { return kAssets; }

}  // namespace sonde::server
`,
);
