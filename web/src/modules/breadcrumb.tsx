import { cutMiddle } from '../text/names.ts';
import { kRoot, rowsAbove, type Named } from './module_tree.ts';

/** Deeper paths leave out what is in the middle. */
const kMostSteps = 8;

/** Where the flame chart is: a button for each module around what is shown. */
export function Breadcrumb(props: { modules: Named; all: string; top: number; onZoom: (row: number) => void }) {
  const { modules, all, top, onZoom } = props;
  const rows = rowsAbove(modules, top);
  const shown = rows.length <= kMostSteps ? rows : [...rows.slice(0, 2), null, ...rows.slice(3 - kMostSteps)];
  return (
    <nav class={rows.length === 0 ? 'sonde-breadcrumb unused' : 'sonde-breadcrumb'} aria-label="Path to what is shown">
      <button type="button" disabled={rows.length === 0} onClick={() => onZoom(kRoot)}>
        {all}
      </button>
      {shown.map((row) => (
        <span key={row}>
          {' / '}
          {row === null ? (
            '…'
          ) : (
            <button
              type="button"
              disabled={row === top}
              title={cutMiddle(modules.name[row]!, 1200)}
              onClick={() => onZoom(row)}
            >
              <bdi>{cutMiddle(modules.name[row]!, 40)}</bdi>
            </button>
          )}
        </span>
      ))}
    </nav>
  );
}
