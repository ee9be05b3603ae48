import type { Service } from '../../state/service.ts';
import { texts } from '../../text/texts.ts';
import { ActingError, AskedButton, useActing } from '../asked_button.tsx';
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
  const { service } = props;
  const { busy, error, act } = useActing(service);
  const may = mayCancel(service, props.by);
  return (
    <>
      <AskedButton
        title={props.title}
        disabled={busy || props.disabled || !may}
        hint={may ? undefined : texts.tasks.cancelOwn}
        heading={props.heading}
        what={props.what}
        explains={texts.tasks.cancelExplains}
        keep={texts.tasks.keep}
        act={() => void act(props.cancel).then(props.done)}
      />
      <ActingError error={error} />
    </>
  );
}
