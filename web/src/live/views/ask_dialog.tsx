import type { ComponentChildren } from 'preact';
import { texts } from '../text/texts.ts';
import { Dialog } from './dialog.tsx';

/** Asks before something is done that cannot be undone. */
export function AskDialog(props: {
  heading: string;
  /** What it is done to. */
  what: ComponentChildren;
  explains: string;
  action: string;
  keep?: string | undefined;
  close: () => void;
  act: () => void;
}) {
  return (
    <Dialog heading={props.heading} close={props.close}>
      <p>
        <bdi>{props.what}</bdi>
      </p>
      <p class="muted">{props.explains}</p>
      <p class="dialog-buttons">
        <button type="button" onClick={props.close}>
          {props.keep ?? texts.cancel}
        </button>
        <button
          type="button"
          class="primary"
          onClick={() => {
            props.close();
            props.act();
          }}
        >
          {props.action}
        </button>
      </p>
    </Dialog>
  );
}
