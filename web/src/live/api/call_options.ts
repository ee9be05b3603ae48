/** Of one call of the service. */
export interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
  /** Ends the call. */
  signal?: AbortSignal;
}
