// Replaces `sonde serve` if a test of the live page needs what no real host has: hostile names, 64 GPUs, keys that expire,
// connections that break. Serves the built page and responds as the API does.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { StubTasks } from './_stub_tasks.mjs';

const kTypes = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
const kPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";
const kRoles = ['none', 'read', 'submit', 'admin'];
const kGiB = 2 ** 30;

/** A GPU as GET /api/v1/gpus has it; `more` stands over it. */
export function gpu(index, more = {}) {
  const { values = {}, ...rest } = more;
  const uuid = rest.uuid ?? `GPU-${String(index).padStart(8, '0')}-1111-2222-3333-444444444444`;
  return {
    index,
    id: `gpu_${index}`,
    uuid,
    name: 'Simulated H100',
    simulated: true,
    health: 'ok',
    quality: 'fresh',
    quality_reason: null,
    moment: new Date().toISOString(),
    age_seconds: 0.2,
    failure: null,
    values: {
      driver_version: '550.54.15',
      uuid,
      compute_capability: 900,
      gpu_utilization_percent: (37 * index) % 101,
      memory_utilization_percent: (17 * index) % 101,
      memory_total_bytes: 80 * kGiB,
      memory_used_bytes: ((11 * index) % 80) * kGiB,
      temperature_celsius: 40 + ((5 * index) % 45),
      power_draw_milliwatts: 70_000 + ((83_000 * index) % 630_000),
      power_enforced_limit_milliwatts: 700_000,
      sm_clock_mhz: 1980,
      memory_clock_mhz: 2619,
      fan_speed_percent: null,
      clocks_event_reasons: index % 4 === 3 ? 0x48 : index % 4 === 2 ? 0x4 : index % 4 === 1 ? 0 : 1,
      ecc_mode: true,
      ecc_corrected_volatile_total: 3 * index,
      ecc_uncorrected_volatile_total: 0,
      remapped_rows_correctable: 0,
      remapped_rows_uncorrectable: 1,
      remapped_rows_pending: false,
      pcie_generation: 5,
      pcie_width: 16,
      pcie_max_generation: 5,
      pcie_max_width: 16,
      pcie_replays: 2,
      ...values,
    },
    nvlinks: [
      { link: 0, active: true, speed_mbytes_per_s: 26562, replay_errors: 0, recovery_errors: 0, crc_errors: null },
      {
        link: 1,
        active: false,
        speed_mbytes_per_s: null,
        replay_errors: null,
        recovery_errors: null,
        crc_errors: null,
      },
    ],
    mig_devices: [],
    processes: [process_(4000 + index, { memory_used_bytes: ((11 * index) % 80) * kGiB, alive: index % 5 !== 4 })],
    incidents: [],
    ...rest,
  };
}

export function process_(pid, more = {}) {
  return {
    pid,
    name: 'python3',
    kind: 'compute',
    memory_used_bytes: 12 * kGiB,
    alive: true,
    user: 'alice',
    command: 'python3 train.py --config configs/llama.yaml',
    container: '0123456789ab',
    pod: null,
    unit: 'slurm:4711',
    started: '2026-11-22T01:02:03.000Z',
    ...more,
  };
}

export function incident(id, of, more = {}) {
  return {
    id,
    detector: 'gpu_hot',
    gpu_uuid: of.uuid,
    gpu_index: of.index,
    subject: null,
    severity: 'warning',
    summary: `GPU ${of.index} is at 86 °C, above 85 °C`,
    action: 'Look at the cooling and at the load.',
    arguments: { temperature_celsius: 86 },
    xids: [],
    opened: '2026-11-22T04:00:00.000Z',
    last_seen: '2026-11-22T04:01:00.000Z',
    cleared: null,
    cleared_by: null,
    times_seen: 7,
    acknowledged: null,
    acknowledged_by: null,
    simulated: true,
    ...more,
  };
}

export class StubService {
  keys = new Map([
    ['sonde_read', 'read'],
    ['sonde_submit', 'submit'],
    ['sonde_admin', 'admin'],
  ]);
  gpus = [];
  incidents = [];
  strategy = 'least_loaded';
  waste = { currency: 'EUR', priced: true, days: [] };
  tasks = new StubTasks(this);
  /** [method, path, body] of what was asked with a key. */
  asked = [];
  /** Answers all calls of the API with this status, where it is set. */
  failWith = null;
  /** Ids that streams were asked to go on after. */
  resumedAfter = [];
  #streams = new Set();
  #events = 0;

  /** Serves on loopback; `url` is its address from then on. */
  async start(build = join(dirname(process.env.SONDE), 'web/live')) {
    this.build = build;
    this.server = createServer((request, response) => void this.#answer(request, response));
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${this.server.address().port}/`;
    return this;
  }

  stop() {
    this.dropStreams();
    this.server.closeAllConnections();
    this.server.close();
  }

  /** How many pages follow events now. */
  get followers() {
    return this.#streams.size;
  }

  dropStreams() {
    for (const stream of this.#streams) stream.destroy();
  }

  send(type, data) {
    const text = `id: ${++this.#events}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
    for (const stream of this.#streams) stream.write(text);
  }

  sendSamples() {
    const moment = new Date().toISOString();
    const short = ({ id, uuid, health, quality, values }) => ({
      id,
      uuid,
      health,
      quality,
      utilization_percent: values.gpu_utilization_percent,
      memory_used_bytes: values.memory_used_bytes,
      memory_total_bytes: values.memory_total_bytes,
      temperature_celsius: values.temperature_celsius,
      power_watts: values.power_draw_milliwatts === null ? null : values.power_draw_milliwatts / 1000,
    });
    for (const each of this.gpus) each.moment = moment;
    this.send('samples', { moment, gpus: this.gpus.map(short) });
  }

  open(id, of, more) {
    const opened = incident(id, of, more);
    this.incidents.unshift(opened);
    of.incidents.push(id);
    this.send('incident', { change: 'opened', incident: opened });
    return opened;
  }

  async #answer(request, response) {
    const url = new URL(request.url, this.url);
    if (!url.pathname.startsWith('/api/')) return this.#file(url.pathname, response);
    const problem = (status, title, detail, headers = {}) => {
      response.writeHead(status, { 'Content-Type': 'application/problem+json', ...headers });
      response.end(JSON.stringify({ type: '/problems/x', title, detail, status }));
    };
    const json = (content, status = 200) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(content));
    };
    let text = '';
    for await (const piece of request) text += piece;
    if (this.failWith) return problem(this.failWith, `Refused with ${this.failWith}`, 'Wait.', { 'Retry-After': '7' });
    const key = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const role = this.keys.get(key);
    if (!role) return problem(401, 'Wrong key', 'Use another.');
    const path = url.pathname.replace('/api/v1/', '');
    const body = text ? JSON.parse(text) : null;
    this.asked.push([request.method, path, body]);
    const may = (needed) => kRoles.indexOf(role) >= kRoles.indexOf(needed);
    const [what, id, then] = path.split('/').map(decodeURIComponent);
    const found = (name) => this.gpus.find((one) => [one.uuid, one.id, String(one.index)].includes(name));
    if (what === 'me') return json({ name: key.replace('sonde_', ''), role });
    if (what === 'events') return this.#follow(request, response);
    if (what === 'gpus' && !id) return json(this.host());
    if (what === 'gpus' && !found(id)) return problem(404, 'No such GPU', 'GET /api/v1/gpus lists them.');
    if (what === 'gpus') return json(then ? history(found(id), url.searchParams) : found(id));
    if (what === 'incidents' && !id) return json({ incidents: this.#incidents(url.searchParams), next_before: null });
    if (what === 'incidents')
      return this.#act(
        this.incidents.find((one) => one.id === Number(id)),
        then,
        key,
        may,
        json,
        problem,
      );
    if (what === 'waste') return json(this.waste);
    if (['tasks', 'task_types', 'queue', 'batches'].includes(what)) {
      const name = key.replace('sonde_', '');
      return this.tasks.answer({ path, query: url.searchParams, body, request, name, may, json, problem });
    }
    if (path === 'config') return json(this.#config());
    if (path === 'config/gpu/strategy' && !may('admin'))
      return problem(403, 'Not for this role', 'Use a key with admin.');
    if (path === 'config/gpu/strategy') {
      const before = this.strategy;
      this.strategy = body.strategy;
      return json({ key: 'gpu.multi_gpu.default_strategy', value: this.strategy, before, persisted: body.persist });
    }
    return problem(404, 'No such path', 'See /api/v1/openapi.json.');
  }

  host() {
    return {
      moment: new Date().toISOString(),
      hostname: this.hostname ?? 'gpu-host-7',
      simulated: true,
      source: 'simulated',
      driver_version: '550.54.15',
      cuda_version: '12.4',
      source_trouble: null,
      gpus: this.gpus,
    };
  }

  #incidents(query) {
    const state = query.get('state');
    const uuid = query.get('gpu');
    return this.incidents.filter((one) => (state === 'all' || !one.cleared) && (!uuid || one.gpu_uuid === uuid));
  }

  #act(one, what, key, may, json, problem) {
    if (!may(what === 'clear' ? 'admin' : 'submit')) return problem(403, 'Not for this role', 'Use another key.');
    const at = new Date().toISOString();
    if (what === 'clear') Object.assign(one, { cleared: at, cleared_by: key });
    else Object.assign(one, { acknowledged: at, acknowledged_by: key });
    json(one);
    return this.send('incident', { change: what === 'clear' ? 'cleared' : 'acknowledged', incident: one });
  }

  #config() {
    const row = (key, value, origin = 'default', line = null) => ({
      key,
      value,
      origin,
      line,
      needs_restart: key.startsWith('sonde.server'),
      waits_for_restart: false,
    });
    return {
      file: '/etc/sonde/config.yaml',
      keys: [
        row('gpu.max_temperature', 85, 'file', 7),
        row('gpu.multi_gpu.default_strategy', this.strategy, 'file', 12),
        row('gpu.multi_gpu.strategies', ['round_robin', 'least_loaded', 'random']),
        row('gpu.multi_gpu.max_concurrent_tasks_per_gpu', 8),
        row('sonde.server.port', 8470),
      ],
      config: {},
    };
  }

  #follow(request, response) {
    this.resumedAfter.push(request.headers['last-event-id'] ?? '');
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(': welcome\n\nretry: 100\n\n');
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
  }

  #file(path, response) {
    const name = path === '/' ? 'index.html' : path.slice(1);
    try {
      if (name.includes('..')) throw new Error(name);
      const bytes = readFileSync(join(this.build, name));
      response.writeHead(200, { 'Content-Type': kTypes[name.split('.').at(-1)], 'Content-Security-Policy': kPolicy });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  }
}

/** A point a minute: waves around what the GPU has now, with a hole in it. */
function history(of, query) {
  const [, count, unit] = /^-(\d+)([mhd])$/.exec(query.get('from'));
  const seconds = Number(count) * { m: 60, h: 3600, d: 86400 }[unit];
  const step = Math.max(5, seconds / 300);
  const end = Math.floor(Date.now() / 1000);
  const moments = Array.from({ length: Math.floor(seconds / step) }, (_, i) => Math.round(end - seconds + i * step));
  const wave = (value, i) => (i > 90 && i < 100 ? null : Math.max(0, value * (0.7 + 0.3 * Math.sin(i / 9 + of.index))));
  const series = query
    .get('value')
    .split(',')
    .map((value) => {
      const now = of.values[value];
      const known = typeof now === 'number';
      const mean = moments.map((_, i) => (known ? wave(now, i) : null));
      return {
        value,
        unit: '',
        minimum: mean.map((v) => v && v * 0.9),
        mean,
        maximum: mean.map((v, i) => v && v * (1.05 + 0.1 * Math.abs(Math.sin(i)))),
      };
    });
  return { gpu: of.uuid, resolution_seconds: step, moments, series };
}
