// The tasks of the stand-in for `sonde serve` (_stub_service.mjs), in the format of the API. It decides nothing.

const kGiB = 2 ** 30;
const kOver = ['succeeded', 'failed', 'cancelled'];
const at = (secondsAgo = 0) => new Date(Date.now() - 1000 * secondsAgo).toISOString();

/** An attempt in the format of the API; `more` overrides its fields. */
export function attempt(uuid, more = {}) {
  return {
    number: 1,
    gpus: [uuid],
    started: at(30),
    ended: null,
    cause: 'none',
    exit_status: null,
    signal: null,
    message: null,
    reserved_bytes: 16 * kGiB,
    memory_source: 'declared',
    peak_bytes: null,
    recorded: false,
    ...more,
  };
}

/** A task as the API has it. */
export function task(id, more = {}) {
  return {
    id,
    name: `run-${id}`,
    type: 'train',
    state: 'waiting',
    cause: 'none',
    reason: null,
    priority: 'normal',
    command: ['python', 'train.py', '--seed', String(id)],
    arguments_hidden: false,
    working_directory: null,
    inference: null,
    gpus: 1,
    memory_bytes: 16 * kGiB,
    time_limit_seconds: null,
    strategy: null,
    after: [],
    batch: null,
    retries: 2,
    profile: null,
    submitted: at(120),
    submitted_by: 'submit',
    ready: at(120),
    started: null,
    ended: null,
    wait_seconds: null,
    run_seconds: null,
    cancelling: false,
    attempts: [],
    ...more,
  };
}

/** What a decision found of a GPU. */
export function judgement(gpu, more = {}) {
  return {
    index: gpu.index,
    id: gpu.id,
    uuid: gpu.uuid,
    eligible: true,
    chosen: false,
    score: 0.5,
    score_text: '50 % in use',
    refusals: [],
    ...more,
  };
}

export class StubTasks {
  /** By number, in the order of submission; those that wait stand in it. */
  all = new Map();
  batches = [];
  types = [
    {
      name: 'default',
      description: 'Any program',
      runs: 'anything',
      gpus: 1,
      memory_bytes: null,
      learned: null,
      run_seconds: null,
      profiles: [],
    },
    {
      name: 'train',
      description: 'python train.py',
      runs: 'command',
      gpus: 1,
      memory_bytes: 16 * kGiB,
      learned: { need_bytes: 14 * kGiB, median_bytes: 12 * kGiB, spread_bytes: kGiB, tasks: 40 },
      run_seconds: { low: 170, median: 230, high: 330, tasks: 40 },
      profiles: [],
    },
    {
      name: 'generate',
      description: 'Text of the model on the workers',
      runs: 'workers',
      gpus: 1,
      memory_bytes: null,
      learned: null,
      run_seconds: { low: 0.8, median: 1, high: 3, tasks: 9000 },
      profiles: [],
    },
  ];
  maxLength = 1000;
  trouble = null;
  /** Number of a task -> explanation, profiles, {stdout, stderr} as strings, and bytes that are left out of them. */
  explanations = new Map();
  profiles = new Map();
  logs = new Map();
  leftOut = new Map();
  /** Idempotency keys, in the order of submission. */
  keys = [];
  /** Refuses submissions: [status, code, detail, headers]. */
  refusal = null;
  #waiters = new Set();

  constructor(service) {
    this.service = service;
  }

  add(one) {
    this.all.set(one.id, one);
    return one;
  }

  /** Changes a task, and tells it. */
  change(id, change, more) {
    const next = { ...this.all.get(id), ...more };
    this.all.set(id, next);
    this.service.send('task', { change, task: next });
    return next;
  }

  submit(id, more) {
    this.add(task(id, more));
    return this.change(id, 'submitted', {});
  }

  start(id, gpu, more = {}) {
    return this.change(id, 'started', {
      state: 'running',
      started: at(),
      wait_seconds: 120,
      attempts: [attempt(gpu.uuid, more)],
    });
  }

  end(id, state, more = {}) {
    const attempts = this.all
      .get(id)
      .attempts.map((one) => ({ ...one, ended: one.ended ?? at(), cause: 'exit', exit_status: 0 }));
    const ended = this.change(id, 'ended', { state, cause: 'exit', ended: at(), run_seconds: 30, attempts, ...more });
    this.#wake();
    return ended;
  }

  /** Prints, to whoever follows. */
  print(id, text, stream = 'stdout') {
    const log = this.logs.get(id) ?? { stdout: '', stderr: '' };
    this.logs.set(id, { ...log, [stream]: log[stream] + text });
    this.#wake();
  }

  get waiting() {
    return [...this.all.values()].filter(({ state }) => state === 'waiting');
  }

  get running() {
    return [...this.all.values()].filter(({ state }) => state === 'running');
  }

  states() {
    const counts = {};
    for (const { state } of this.all.values()) counts[state] = (counts[state] ?? 0) + 1;
    return counts;
  }

  sendQueue() {
    this.service.send('queue', { length: this.waiting.length, by_state: this.states(), trouble: this.trouble });
  }

  queue(limit) {
    const { waiting, running } = this;
    const slots = this.service.gpus.map(({ id, uuid }) => {
      const here = running.filter(({ attempts }) => attempts.at(-1)?.gpus.includes(uuid));
      return {
        id,
        uuid,
        tasks: here.length,
        max_tasks: 8,
        reserved_bytes: here.reduce((sum, { attempts }) => sum + attempts.at(-1).reserved_bytes, 0),
      };
    });
    const priorities = { high: 0, normal: 0, low: 0 };
    for (const { priority } of waiting) priorities[priority] = (priorities[priority] ?? 0) + 1;
    return {
      moment: at(),
      strategy: this.service.strategy,
      strategies: ['round_robin', 'least_loaded', 'random'],
      length: waiting.length,
      max_length: this.maxLength,
      timeout_seconds: 3600,
      by_priority: priorities,
      by_state: this.states(),
      oldest_ready: waiting[0]?.ready ?? null,
      trouble: this.trouble,
      gpus: slots,
      waiting: waiting.slice(0, limit),
      running,
    };
  }

  /** Answers what begins with tasks, task_types, queue or batches. */
  async answer({ path, query, body, request, name, may, json, problem }) {
    const [what, id, then] = path.split('/');
    if (what === 'queue') return json(this.queue(Number(query.get('limit'))));
    if (what === 'task_types') return json({ types: this.types });
    if (what === 'batches') return this.#batch({ id, then, json, problem });
    if (!id && request.method === 'POST') return this.#submit({ body, request, name, may, json, problem });
    if (!id) return json(this.#list(query));
    const one = this.all.get(Number(id));
    if (!one) return problem(404, 'Unknown task', `No task has the ID ${id}.`);
    if (!then) return json(one);
    if (then === 'explain') return json(this.#explanation(one));
    if (then === 'profiles') return json({ profiles: this.profiles.get(one.id) ?? [] });
    if (then === 'log') return this.#log(one, query, request, json);
    if (!may('admin') && one.submitted_by !== name) return problem(403, 'Not your task', 'Ask an admin.');
    if (kOver.includes(one.state)) return problem(409, 'The task is already finished', 'It cannot be cancelled.');
    return json(this.end(one.id, 'cancelled', { cause: 'cancelled', reason: `Cancelled by ${name}.` }));
  }

  #batch({ id, then, json, problem }) {
    if (!id) return json({ batches: this.batches, next_before: null });
    const batch = this.batches.find((one) => one.id === Number(id));
    if (!batch) return problem(404, 'Unknown batch', 'See GET /api/v1/batches.');
    if (then === 'cancel') {
      batch.states = { cancelled: batch.tasks.length };
      this.service.send('batch', { change: 'ended', batch });
    }
    return json(batch);
  }

  #submit({ body, request, name, may, json, problem }) {
    if (!may('submit')) return problem(403, 'Not for this role', 'Use a key with submit.');
    this.keys.push(request.headers['idempotency-key']);
    if (this.refusal) return problem(...this.refusal);
    const id = Math.max(0, ...this.all.keys()) + 1;
    const { memory: _memory, ...rest } = body;
    return json(this.submit(id, { ...rest, submitted: at(), ready: at(), submitted_by: name }), 201);
  }

  #list(query) {
    const states = query.get('state')?.split(',') ?? [];
    const before = Number(query.get('before') ?? Infinity);
    const limit = Number(query.get('limit'));
    const found = [...this.all.values()]
      .filter(
        (one) =>
          one.id < before &&
          (states.length === 0 || states.includes(one.state)) &&
          (!query.get('type') || one.type === query.get('type')) &&
          (!query.get('by') || one.submitted_by === query.get('by')) &&
          (!query.get('batch') || one.batch === Number(query.get('batch'))),
      )
      .sort((a, b) => b.id - a.id);
    const tasks = found.slice(0, limit);
    return { tasks, next_before: found.length > limit ? tasks.at(-1).id : null };
  }

  #explanation(one) {
    return {
      task: one.id,
      state: one.state,
      summary: `Task ${one.id} is ${one.state}.`,
      unblocks: [],
      position: null,
      ahead: [],
      start: null,
      start_unknown: null,
      gpus: [],
      decisions: [],
      ...this.explanations.get(one.id),
    };
  }

  /** A long poll waits for more, or the end. */
  async #log(one, query, request, json) {
    const stream = query.get('stream');
    const leftOut = this.leftOut.get(one.id) ?? 0;
    const text = () => this.logs.get(one.id)?.[stream] ?? '';
    const size = () => leftOut + Buffer.byteLength(text());
    const isOver = () => kOver.includes(this.all.get(one.id).state);
    const asked = Number(query.get('from'));
    const from = asked < 0 ? Math.max(0, size() + asked) : asked;
    if (query.get('follow') && from >= size() && !isOver()) await this.#more(request, () => size() > from || isOver());
    const missing = Math.max(0, leftOut - from);
    const bytes = Buffer.from(text())
      .subarray(from + missing - leftOut)
      .subarray(0, Number(query.get('limit')));
    const next = from + missing + bytes.length;
    json({
      task: one.id,
      attempt: Number(query.get('attempt')),
      stream,
      from,
      next,
      left_out_bytes: missing,
      whole: isOver() && next >= size(),
      text: bytes.toString(),
    });
  }

  #more(request, holds) {
    return new Promise((done) => {
      const look = () => holds() && leave();
      const leave = () => {
        this.#waiters.delete(look);
        done();
      };
      this.#waiters.add(look);
      request.on('close', leave);
      request.socket.on('close', leave);
    });
  }

  #wake() {
    for (const look of [...this.#waiters]) look();
  }
}
