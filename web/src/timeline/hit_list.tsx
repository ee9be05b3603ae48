import { useMemo } from 'preact/hooks';
import { cutApart } from '../text/kernel_names.ts';
import { countText, momentText, timeText } from '../text/units.ts';
import { nameOf, kNoName, type SliceRef, type TimelineModel } from './timeline_model.ts';
import type { TimelineSearch } from './timeline_search.ts';
import type { LoadedSlices } from './track_store.ts';
import { lengthOf } from './viewport.ts';

/** More are not read one by one; the arrows go through all. */
const kMostListed = 200;
const kMostOfName = 80;

/** Where the search found something, in the order of time; a click goes there. */
export function HitList({ model, search }: { model: TimelineModel; search: TimelineSearch }) {
  const hits = useMemo(() => search.list(kMostListed), [search, search.query, search.events, search.done]);
  if (!search.active || hits.length === 0) return null;
  const names = cutApart(
    hits.map(({ ref, loaded }) => nameOf(ref, loaded)),
    kMostOfName,
  );
  return (
    <div class="tl-hits" role="region" aria-label="Search results" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Start</th>
            <th scope="col">Duration</th>
            <th scope="col">Track</th>
            <th scope="col">Name</th>
          </tr>
        </thead>
        <tbody>
          {hits.map((hit, i) => (
            <Hit key={i} model={model} {...hit} shown={names[i]!} />
          ))}
        </tbody>
      </table>
      {search.slices > hits.length && (
        <p class="tl-note">{`Listed: the first ${countText(hits.length)} of ${countText(search.slices)}.`}</p>
      )}
    </div>
  );
}

function Hit(props: { model: TimelineModel; ref: SliceRef; loaded: LoadedSlices; shown: string }) {
  const { model, ref, loaded, shown } = props;
  const { start, end } = model.spanOf(ref, loaded);
  const { track } = ref;
  return (
    <tr>
      <td>{momentText(start, lengthOf(model.lanes.bounds) / 1000)}</td>
      <td>{timeText(end - start)}</td>
      <td>
        <bdi>{[track.path.at(-1), track.label].filter(Boolean).join(' › ')}</bdi>
      </td>
      <th scope="row">
        <button type="button" onClick={() => model.goTo(ref, loaded, performance.now())}>
          <bdi>{shown || kNoName}</bdi>
        </button>
      </th>
    </tr>
  );
}
