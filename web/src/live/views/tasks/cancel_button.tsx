import { useState } from 'preact/hooks';
import type { Service } from '../../state/service.ts';
import { problemText } from '../../text/problem_text.ts';
import { texts } from '../../text/texts.ts';
import { AskDialog } from '../ask_dialog.tsx';
import { mayDo } from '../incident_list.tsx';

/** Whether the key may cancel what this one submitted. */
export const mayCancel = (service: Pick<Service, 'caller'>, by: string): boolean =>
  mayDo(service.caller.role, 'admin') || (mayDo(service.caller.role, 'submit') && service.caller.name === by);

/** Cancels a task or a batch, after a question. */
export function CancelButton(props: {
  service: Service;
  by: string;
  title: string;
  heading: string;
  what: string;
  disabled: boolean;
  cancel: () => Promise<unknown>;
  done: () => void;
}) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const { service } = props;
  const may = mayCancel(service, props.by);
  const act = async () => {
    setBusy(true);
    setError('');
    try {
      await props.cancel();
    } catch (problem) {
      service.failed(problem);
      setError(problemText(problem));
    }
    setBusy(false);
    props.done();
  };
  return (
    <>
      <button
        type="button"
        disabled={busy || props.disabled || !may}
        title={may ? undefined : texts.tasks.cancelOwn}
        onClick={() => setAsking(true)}
      >
        {props.title}
      </button>
      {error && (
        <span class="part-error" role="alert">
          {error}
        </span>
      )}
      {asking && (
        <AskDialog
          heading={props.heading}
          what={props.what}
          explains={texts.tasks.cancelExplains}
          action={props.title}
          keep={texts.tasks.keep}
          close={() => setAsking(false)}
          act={() => void act()}
        />
      )}
    </>
  );
}
