import { useEffect, useRef } from 'preact/hooks';
import { kKeyHelp } from './keyboard.ts';

/** The keys, in a dialog that Escape closes. */
export function KeysDialog({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      class="tl-keys"
      ref={dialog}
      aria-label="Timeline keys"
      onClose={close}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <table>
        <tbody>
          {kKeyHelp.map(([keys, what]) => (
            <tr key={keys}>
              <th scope="row">{keys}</th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
