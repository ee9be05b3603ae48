import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Service } from '../state/service.ts';
import { problemText } from '../text/problem_text.ts';
import { AskDialog } from './ask_dialog.tsx';

/** A call to the service from a button: whether it is under way, and why the last one failed. */
export interface Acting {
  busy: boolean;
  error: string;
  act: (call: () => Promise<unknown>) => Promise<void>;
}

export function useActing(service: Service): Acting {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const act = async (call: () => Promise<unknown>) => {
    setBusy(true);
    setError('');
    try {
      await call();
    } catch (problem) {
      service.failed(problem);
      setError(problemText(problem));
    }
    setBusy(false);
  };
  return { busy, error, act };
}

export function ActingError({ error }: { error: string }) {
  if (!error) return null;
  return (
    <span class="part-error" role="alert">
      {error}
    </span>
  );
}

/** A button that asks before it acts. */
export function AskedButton(props: {
  title: string;
  disabled: boolean;
  /** Why it cannot be used, where it cannot. */
  hint: string | undefined;
  heading: string;
  what: ComponentChildren;
  explains: string;
  keep?: string | undefined;
  act: () => void;
}) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <button type="button" disabled={props.disabled} title={props.hint} onClick={() => setAsking(true)}>
        {props.title}
      </button>
      {asking && (
        <AskDialog
          heading={props.heading}
          what={props.what}
          explains={props.explains}
          action={props.title}
          keep={props.keep}
          close={() => setAsking(false)}
          act={props.act}
        />
      )}
    </>
  );
}
