// Builds the page: node build.mjs FOLDER writes page.js, page.css and page_assets.cc there. The last is what the program
// is built with: both texts, and their SHA-256 for the page's content security policy.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, 'dist');

await build({
  entryPoints: { page: join(here, 'src/main.tsx') },
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
  logLevel: 'warning',
});

/** What an HTML element cannot hold as it stands: the end of itself. */
function checked(name, text) {
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${name} holds text that would end its element`);
  return text;
}

/** A C++ array of characters: string literals have limits, arrays have none. */
function bytesLiteral(name, text) {
  const bytes = Buffer.from(text, 'utf8');
  const lines = [];
  for (let at = 0; at < bytes.length; at += 32)
    lines.push(Array.from(bytes.subarray(at, at + 32), (b) => (b > 127 ? b - 256 : b)).join(','));
  return `constexpr char ${name}[] = {\n${lines.join(',\n')}};\n`;
}

const sha = (text) => `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;
const script = checked('page.js', readFileSync(join(folder, 'page.js'), 'utf8'));
const style = checked('page.css', readFileSync(join(folder, 'page.css'), 'utf8'));

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
