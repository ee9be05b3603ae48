// `import { valueMeanings } from 'sonde:values'`: what the table of GPU values (src/device/values.inc) says of each, so that
// the page cannot say something else.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const table = join(dirname(fileURLToPath(import.meta.url)), '../src/device/values.inc');

/** {member: {group, meaning}}; values of a nested macro (ECC counters) are not among them. */
export function valueMeanings(text) {
  const rows = text.matchAll(/^SONDE_GPU_VALUE\((\w+), [\w:]+, (\w+), "[^"]*", \w+, "([^"]*)"\)/gm);
  return Object.fromEntries(Array.from(rows, ([, member, group, meaning]) => [member, { group, meaning }]));
}

export const valuesPlugin = {
  name: 'sonde-values',
  setup(build) {
    build.onResolve({ filter: /^sonde:values$/ }, () => ({ path: table, namespace: 'sonde-values' }));
    build.onLoad({ filter: /.*/, namespace: 'sonde-values' }, () => {
      const meanings = valueMeanings(readFileSync(table, 'utf8'));
      if (Object.keys(meanings).length < 50)
        throw new Error(`${table}: its rows are not as values_plugin.mjs reads them`);
      return {
        contents: `export const valueMeanings = ${JSON.stringify(meanings)};`,
        loader: 'js',
        watchFiles: [table],
      };
    });
  },
};
