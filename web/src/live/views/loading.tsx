import type { Loaded } from '../state/use_load.ts';
import { problemText } from '../text/problem_text.ts';
import { texts } from '../text/texts.ts';

/** What a call failed with, in words. */
export function Problem({ of: error }: { of: unknown }) {
  if (error === null || error === undefined || error === '') return null;
  return (
    <p class="part-error" role="alert">
      {typeof error === 'string' ? error : problemText(error)}
    </p>
  );
}

/** That something is asked for, or why it did not come. */
export function LoadState({ of: { value, error } }: { of: Loaded<unknown> }) {
  if (error) return <Problem of={error} />;
  return value === null ? <p class="waiting">{texts.loading}</p> : null;
}
