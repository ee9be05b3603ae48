// Runs a script of actions/github-script: node github_script.mjs STATE < script. STATE is a JSON file that holds the
// comments of a pull request, and with `forbidden` an API that answers as it does to a token that may only read.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const state = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const changes = () => {
  if (state.forbidden) throw new Error('Resource not accessible by integration');
};
const issues = {
  listComments() {},
  async createComment({ owner, repo, issue_number, body }) {
    changes();
    state.comments.push({ id: 100 + state.comments.length, body, of: `${owner}/${repo}#${issue_number}` });
    state.calls.push('create');
  },
  async updateComment({ comment_id, body }) {
    changes();
    state.comments.find((comment) => comment.id === comment_id).body = body;
    state.calls.push('update');
  },
};
const github = { rest: { issues }, paginate: async () => state.comments };
const context = {
  repo: { owner: 'team', repo: 'model' },
  issue: { number: 12 },
  serverUrl: 'https://git.example',
  runId: 34,
};
const core = {
  warning: (text) => console.log(`::warning::${text}`),
  notice: (text) => console.log(`::notice::${text}`),
};
const AsyncFunction = (async () => {}).constructor;
const run = new AsyncFunction('github', 'context', 'core', 'require', readFileSync(0, 'utf8'));
await run(github, context, core, createRequire(import.meta.url));
writeFileSync(process.argv[2], JSON.stringify(state));
