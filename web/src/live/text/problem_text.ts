import { ApiProblem } from '../api/problem.ts';
import { texts } from './texts.ts';

/** What is wrong without the service's own words. */
function plainText(problem: ApiProblem): string {
  const { problem: text } = texts;
  switch (problem.status) {
    case 0:
      return text.unreachable;
    case 401:
      return text.wrongKey;
    case 403:
      return text.forbidden;
    case 404:
      return text.notFound;
    case 429:
      return text.tooMany;
    case 502:
    case 503:
    case 504:
      return text.unready;
    default:
      return text.failed(problem.status);
  }
}

const sentence = (text: string): string => (text === '' || /[.!?]$/.test(text) ? text : `${text}.`);

/** For a person: what is wrong and what to do. */
export function problemText(error: unknown): string {
  if (!(error instanceof ApiProblem)) return error instanceof Error ? error.message : String(error);
  // What the service says of these tells more than their numbers; a key that is wrong is always told alike.
  const own = error.status === 401 ? '' : [error.title, error.detail].filter(Boolean).map(sentence).join(' ');
  const after = error.retryAfter === null ? '' : ` ${texts.problem.again(Math.ceil(error.retryAfter))}`;
  return `${own || plainText(error)}${after}`;
}
