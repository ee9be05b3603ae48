import type { CallOptions } from './call_options.ts';
import { ApiProblem, problemOf } from './problem.ts';
import { TaskCalls } from './task_calls.ts';
import type { Caller, ConfigChange, Configuration, Gpu, History, Host, Incident, Incidents, Waste } from './types.ts';

export interface HistoryQuery {
  values: readonly string[];
  /** Until now: "15m", "7d". */
  span: string;
}

/** Calls of the service with one key. Fails with ApiProblem, or with AbortError after close(). */
export class Client {
  readonly tasks = new TaskCalls((path, options) => this.json(path, options));
  private readonly closed = new AbortController();

  constructor(private readonly key: string) {}

  /** Ends all calls that are under way. */
  close(): void {
    this.closed.abort();
  }

  me = (): Promise<Caller> => this.json('me');
  host = (): Promise<Host> => this.json('gpus');
  gpu = (uuid: string): Promise<Gpu> => this.json(`gpus/${encodeURIComponent(uuid)}`);
  waste = (days: number): Promise<Waste> => this.json(`waste?days=${days}`);
  config = (): Promise<Configuration> => this.json('config');
  acknowledge = (id: number): Promise<Incident> => this.json(`incidents/${id}/acknowledge`, { body: {} });
  clear = (id: number): Promise<Incident> => this.json(`incidents/${id}/clear`, { body: {} });

  incidents(state: 'open' | 'all', before: number | null = null, gpu: string | null = null): Promise<Incidents> {
    const query = new URLSearchParams({ state, limit: '100' });
    if (before !== null) query.set('before', String(before));
    if (gpu !== null) query.set('gpu', gpu);
    return this.json(`incidents?${query}`);
  }

  history(uuid: string, { values, span }: HistoryQuery): Promise<History> {
    const query = new URLSearchParams({ value: values.join(','), from: `-${span}` });
    return this.json(`gpus/${encodeURIComponent(uuid)}/history?${query}`);
  }

  setStrategy = (strategy: string, persist: boolean): Promise<ConfigChange> =>
    this.json('config/gpu/strategy', { body: { strategy, persist } });
  setMaxTasks = (count: number, persist: boolean): Promise<ConfigChange> =>
    this.json('config/gpu/max_concurrent_tasks', { body: { max_concurrent_tasks: count, persist } });

  /** The stream of events after `lastId`. */
  async events(lastId: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const headers: Record<string, string> = { Accept: 'text/event-stream' };
    if (lastId) headers['Last-Event-ID'] = lastId;
    const response = await this.ask('events', { headers, signal: AbortSignal.any([signal, this.closed.signal]) });
    if (!response.body) throw new ApiProblem(0, '', '');
    return response.body;
  }

  /** With a body it is a POST. */
  private async json<T>(path: string, { body, headers, signal: until }: CallOptions = {}): Promise<T> {
    const signal = until ? AbortSignal.any([until, this.closed.signal]) : this.closed.signal;
    const response = await this.ask(path, {
      signal,
      headers: {
        Accept: 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    try {
      return (await response.json()) as T;
    } catch (error) {
      if (signal.aborted) throw error;
      throw new ApiProblem(0, '', '');
    }
  }

  private async ask(path: string, init: RequestInit & { headers: Record<string, string> }): Promise<Response> {
    const headers = { ...init.headers, Authorization: `Bearer ${this.key}` };
    const options: RequestInit = {
      ...init,
      headers,
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
    };
    let response: Response;
    try {
      response = await fetch(`api/v1/${path}`, options);
    } catch (error) {
      if (init.signal?.aborted) throw error;
      // The browser does not say why.
      throw new ApiProblem(0, '', '');
    }
    if (!response.ok) throw await problemOf(response);
    return response;
  }
}
