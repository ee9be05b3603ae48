import { counted } from '../text/units.ts';
import { inOrder, isArranged, kAsRecorded, labelOf, withHidden, withMove, withPin } from './arrangement.ts';
import { tracksOf, type Node } from './layout.ts';
import type { TimelineModel } from './timeline_model.ts';

/** All rows: which are shown, which are on top, and in which order. */
export function RowsPanel({ model }: { model: TimelineModel }) {
  const { nodes, arrangement } = model;
  const hidden = arrangement.hidden.size;
  return (
    <div class="tl-rows" role="region" aria-label="Rows" tabIndex={0}>
      <p>
        <button type="button" disabled={!isArranged(arrangement)} onClick={() => model.arrange(kAsRecorded)}>
          Show all as recorded
        </button>{' '}
        {hidden > 0 ? `${counted(hidden, 'row')} hidden` : ''}
      </p>
      <RowList model={model} nodes={nodes} />
    </div>
  );
}

function RowList({ model, nodes }: { model: TimelineModel; nodes: readonly Node[] }) {
  return (
    <ul>
      {inOrder(nodes, model.arrangement.ranks).map((node) => (
        <li key={node.key}>
          <Row model={model} node={node} />
          {node.type === 'group' && !model.arrangement.hidden.has(node.key) && (
            <RowList model={model} nodes={node.children} />
          )}
        </li>
      ))}
    </ul>
  );
}

function Row({ model, node }: { model: TimelineModel; node: Node }) {
  const { nodes, arrangement } = model;
  const { key } = node;
  const label = labelOf(node);
  const pinned = arrangement.pinned.includes(key);
  const below = node.type === 'group' ? `, ${counted(tracksOf(node).length, 'track')}` : '';
  const move = (way: -1 | 1) => model.arrange(withMove(nodes, arrangement, key, way));
  return (
    <span class="tl-row">
      <label>
        <input
          type="checkbox"
          checked={!arrangement.hidden.has(key)}
          onChange={() => model.arrange(withHidden(arrangement, key))}
        />{' '}
        <bdi>{label}</bdi>
        {below}
      </label>
      <button
        type="button"
        aria-label={`Pin ${label}`}
        aria-pressed={pinned}
        onClick={() => model.arrange(withPin(arrangement, key))}
      >
        Pin
      </button>
      <button type="button" aria-label={`Move ${label} up`} onClick={() => move(-1)}>
        ↑
      </button>
      <button type="button" aria-label={`Move ${label} down`} onClick={() => move(1)}>
        ↓
      </button>
    </span>
  );
}
