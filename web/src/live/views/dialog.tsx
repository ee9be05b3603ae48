import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** A dialog over the page; Escape closes it, and the focus goes back to where it was. */
export function Dialog(props: { heading: string; close: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog class="live-dialog" ref={dialog} aria-labelledby={heading} onClose={props.close}>
      <h2 id={heading}>{props.heading}</h2>
      {props.children}
    </dialog>
  );
}
