import type { Client } from '../api/client.ts';
import type { StreamEvent } from '../api/event_parser.ts';
import { followEvents } from '../api/event_stream.ts';
import { isExpired } from '../api/problem.ts';
import type { BatchNews, QueueNews, TaskNews } from '../api/tasks.ts';
import type { Caller, Host, Incident, IncidentNews, Samples } from '../api/types.ts';
import { applyIncident, applySamples, needsReload } from './host_state.ts';
import { kSparkHistory, withHistory, withSamples, type Sparks } from './sparks.ts';
import { Store } from './store.ts';
import { TaskFeed } from './task_feed.ts';

export type Connection = 'connecting' | 'live' | 'reconnecting';

/** Values that no event tells are this old at most, ms. */
const kReloadEvery = 10_000;
/** The service sends a comment every 15 s: without any byte for this long the connection is dead, ms. */
const kSilence = 45_000;
/** Histories that are asked for at once. */
const kAtOnce = 4;

/** What the page knows of the service, kept up to date by its events while somebody looks. */
export class Service {
  readonly host = new Store<Host | null>(null);
  readonly openIncidents = new Store<readonly Incident[]>([]);
  readonly sparks = new Store<Sparks>(new Map());
  readonly connection = new Store<Connection>('connecting');
  /** The last call that failed; null once one succeeds. */
  readonly trouble = new Store<unknown>(null);
  /** The last change of an incident, for who lists them and for who reads aloud. */
  readonly incidentNews = new Store<IncidentNews | null>(null);
  /** Each grows by one: when the configuration changes, with each round of samples, when lists are to be asked for anew. */
  readonly configChanges = new Store(0);
  readonly samples = new Store(0);
  readonly resets = new Store(0);
  readonly tasks: TaskFeed;

  private running: AbortController | null = null;
  private loadedAt = 0;
  private loading: Promise<void> | null = null;
  private again = false;

  constructor(
    readonly client: Client,
    readonly caller: Caller,
    private readonly onExpired: () => void,
  ) {
    this.tasks = new TaskFeed({ read: client.tasks.queue, failed: (error) => this.failed(error) });
  }

  /** Until stop(); what is known already stays meanwhile. */
  start(): void {
    if (this.running) return;
    this.running = new AbortController();
    const { signal } = this.running;
    this.connection.set('connecting');
    this.tasks.reset();
    void this.reload().then(() => (signal.aborted ? undefined : this.loadSparks(signal)));
    void this.follow(signal);
  }

  stop(): void {
    this.running?.abort();
    this.running = null;
    this.tasks.stop();
  }

  close(): void {
    this.stop();
    this.client.close();
  }

  /** Reads everything anew. One at a time: a wish meanwhile is met once, after it. */
  reload(): Promise<void> {
    if (this.loading) {
      this.again = true;
      return this.loading;
    }
    this.loading = this.load().finally(() => {
      this.loading = null;
      if (!this.again) return;
      this.again = false;
      void this.reload();
    });
    return this.loading;
  }

  /** Notes what a call of a view failed with: an expired key ends the session. */
  failed(error: unknown): void {
    if (error instanceof Error && error.name === 'AbortError') return;
    if (isExpired(error)) this.onExpired();
  }

  /** Something was changed through this page: the event of it may be late. */
  touched(): void {
    void this.reload();
    this.resets.set(this.resets.get() + 1);
  }

  private async load(): Promise<void> {
    this.loadedAt = performance.now();
    try {
      const [host, { incidents }] = await Promise.all([this.client.host(), this.client.incidents('open')]);
      this.host.set(host);
      this.openIncidents.set(incidents);
      this.trouble.set(null);
    } catch (error) {
      this.failed(error);
      this.trouble.set(error);
    }
  }

  private async loadSparks(signal: AbortSignal): Promise<void> {
    const waiting = (this.host.get()?.gpus ?? []).map(({ uuid }) => uuid);
    const values = Object.values(kSparkHistory);
    const work = async () => {
      for (let uuid = waiting.shift(); uuid !== undefined && !signal.aborted; uuid = waiting.shift()) {
        const history = await this.client.history(uuid, { values, span: '15m' }).catch(() => null);
        if (history && !signal.aborted) this.sparks.set(withHistory(this.sparks.get(), uuid, history));
      }
    };
    await Promise.all(Array.from({ length: kAtOnce }, work));
  }

  private follow(signal: AbortSignal): Promise<void> {
    let attempt = new AbortController();
    let silence: ReturnType<typeof setTimeout> | undefined;
    const hear = () => {
      clearTimeout(silence);
      silence = setTimeout(() => attempt.abort(), kSilence);
    };
    signal.addEventListener('abort', () => clearTimeout(silence));
    return followEvents(
      {
        open: (lastId) => {
          attempt = new AbortController();
          hear();
          return this.client.events(lastId, AbortSignal.any([signal, attempt.signal]));
        },
        onOpen: () => {
          this.connection.set('live');
          this.tasks.connected();
        },
        onBytes: hear,
        onEvent: (event) => this.take(event),
        onBroken: (error) => {
          clearTimeout(silence);
          this.failed(error);
          this.connection.set('reconnecting');
        },
        wait: pause,
        random: Math.random,
      },
      signal,
    );
  }

  private take({ type, data }: StreamEvent): void {
    if (type === 'reset') return this.reset();
    const content = parsed(data);
    if (content === null) return;
    if (type === 'samples') this.takeSamples(content as Samples);
    else if (type === 'incident') this.takeIncident(content as IncidentNews);
    else if (type === 'task') this.tasks.takeTask(content as TaskNews);
    else if (type === 'batch') this.tasks.takeBatch(content as BatchNews);
    else if (type === 'queue') this.tasks.takeQueue(content as QueueNews);
    else if (type === 'config') this.takeConfig();
    else if (type === 'source') this.takeTrouble((content as { trouble: string | null }).trouble);
  }

  /** Events were missed. */
  private reset(): void {
    this.resets.set(this.resets.get() + 1);
    this.configChanges.set(this.configChanges.get() + 1);
    this.tasks.reset();
    void this.reload();
  }

  private takeConfig(): void {
    this.configChanges.set(this.configChanges.get() + 1);
    this.tasks.reread();
  }

  private takeSamples(samples: Samples): void {
    const host = this.host.get();
    this.sparks.set(withSamples(this.sparks.get(), samples));
    this.samples.set(this.samples.get() + 1);
    if (host === null || needsReload(host, samples) || performance.now() - this.loadedAt > kReloadEvery)
      void this.reload();
    if (host) this.host.set(applySamples(host, samples));
  }

  private takeIncident(news: IncidentNews): void {
    this.openIncidents.set(applyIncident(this.openIncidents.get(), news));
    this.incidentNews.set(news);
    void this.reload();
  }

  private takeTrouble(trouble: string | null): void {
    const host = this.host.get();
    if (host) this.host.set({ ...host, source_trouble: trouble });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('', 'AbortError'));
    });
  });
}
