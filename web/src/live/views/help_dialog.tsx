import { texts } from '../text/texts.ts';
import { Dialog } from './dialog.tsx';

export function HelpDialog({ close }: { close: () => void }) {
  return (
    <Dialog heading={texts.help.heading} close={close}>
      <table class="keys">
        <tbody>
          {texts.help.rows.map(([keys, what]) => (
            <tr key={keys}>
              <th scope="row">
                <kbd>{keys}</kbd>
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dialog-buttons">
        <button type="button" onClick={close}>
          {texts.close}
        </button>
      </p>
    </Dialog>
  );
}
