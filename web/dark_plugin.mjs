// `@dark { --name: value; }` in a style sheet: values of the dark theme, which the system or the reader chooses. CSS has no one
// selector for both, and two lists would differ one day.
import { readFileSync } from 'node:fs';

const kRule = /@dark \{([^{}]*)\}/g;

export const darkCss = (text) =>
  text.replace(
    kRule,
    `@media (prefers-color-scheme: dark) { :root:not([data-theme='light']) {$1} } :root[data-theme='dark'] {$1}`,
  );

export const darkPlugin = {
  name: 'sonde-dark',
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, ({ path }) => {
      const contents = darkCss(readFileSync(path, 'utf8'));
      if (contents.includes('@dark')) throw new Error(`${path}: a @dark that dark_plugin.mjs cannot read`);
      return { contents, loader: 'css' };
    });
  },
};
