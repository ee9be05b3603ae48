/** What the service answered instead of what was asked (problem+json), or why there was no answer: status 0. */
export class ApiProblem extends Error {
  override name = 'ApiProblem';
  constructor(
    readonly status: number,
    /** What is wrong, in the service's words; empty where it gave none. */
    readonly title: string,
    /** What to do. */
    readonly detail: string,
    /** Seconds after which to ask again, where the service says so. */
    readonly retryAfter: number | null = null,
  ) {
    super(title || `status ${status}`);
  }
}

/** Asking again with the same key helps nothing. */
export const isFinal = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.status === 401 || error.status === 403);

export const isExpired = (error: unknown): boolean => error instanceof ApiProblem && error.status === 401;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Of a response that is no success; whatever stands before the service may answer with no JSON. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const after = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const retry = Number.isFinite(after) ? after : null;
  try {
    const body = (await response.json()) as { title?: unknown; detail?: unknown } | null;
    return new ApiProblem(response.status, textOf(body?.title), textOf(body?.detail), retry);
  } catch {
    return new ApiProblem(response.status, '', '', retry);
  }
}
