import { useEffect, useRef, useState } from 'preact/hooks';
import { counted } from '../text/units.ts';
import { commonSteps, firstStep, severalLanes } from './lanes.ts';
import type { TimelineModel } from './timeline_model.ts';
import type { TimelineSearch } from './timeline_search.ts';

export interface ToolbarProps {
  model: TimelineModel;
  search: TimelineSearch;
  showKeys: () => void;
  field: { current: HTMLInputElement | null };
  legend: boolean;
  showLegend: () => void;
  /** Of what the search found. */
  listed: boolean;
  showList: () => void;
  rows: boolean;
  showRows: () => void;
  notes: boolean;
  showNotes: () => void;
}

export function Toolbar(props: ToolbarProps) {
  const { model, search, showKeys, field, legend, showLegend, listed, showList, rows, showRows, notes, showNotes } =
    props;
  const now = () => performance.now();
  return (
    <div class="tl-toolbar" role="toolbar" aria-label="Timeline">
      <span class="tl-buttons">
        <button type="button" title="Zoom in (W)" onClick={() => model.glideZoom(1 / 2, now(), false)}>
          +
        </button>
        <button type="button" title="Zoom out (S)" onClick={() => model.glideZoom(2, now(), false)}>
          −
        </button>
        <button type="button" title="Show the whole run (0)" onClick={() => model.showAll(now())}>
          All
        </button>
      </span>
      <AlignControl model={model} />
      <SearchField {...{ search, field, listed, showList }} />
      <span class="tl-hint">
        <kbd>W</kbd> <kbd>A</kbd> <kbd>S</kbd> <kbd>D</kbd> or Ctrl+wheel: zoom and move · drag: sums of a span · click:
        details
      </span>
      <span class="tl-buttons tl-show">
        <button type="button" aria-pressed={rows} title="Pin, hide and move rows" onClick={showRows}>
          Rows
        </button>
        <button type="button" aria-pressed={notes} title="Notes on times of the run (N)" onClick={showNotes}>
          {model.notes.length > 0 ? `Notes (${model.notes.length})` : 'Notes'}
        </button>
        {model.documents.some(({ steps }) => steps !== null) && (
          <button
            type="button"
            aria-pressed={model.stepLines}
            title="Lines where steps begin"
            onClick={() => model.showSteps(!model.stepLines)}
          >
            Steps
          </button>
        )}
      </span>
      <button type="button" class="tl-legend-button" aria-pressed={legend} onClick={showLegend}>
        Legend
      </button>
      <button type="button" class="tl-keys-button" title="All timeline keys (?)" onClick={showKeys}>
        Keys <kbd>?</kbd>
      </button>
    </div>
  );
}

/** Zero of the axis: the first event, or the beginning of a step. */
function AlignControl({ model }: { model: TimelineModel }) {
  const [step, setStep] = useState(0);
  const steps = commonSteps(model.documents);
  if (steps === 0) return null;
  const several = severalLanes(model.documents);
  const first = firstStep(model.documents);
  const byStep = model.alignment.by === 'step';
  const choose = (event: Event) => {
    const by = (event.currentTarget as HTMLSelectElement).value;
    model.align(by === 'step' ? { by, step } : { by: 'time' });
  };
  const chooseStep = (event: Event) => {
    const value = Number((event.currentTarget as HTMLInputElement).value);
    const chosen = Math.min(steps - 1, Math.max(0, (Math.round(value) || 0) - first));
    setStep(chosen);
    model.align({ by: 'step', step: chosen });
  };
  return (
    <label class="tl-align">
      {several ? 'Align by' : 'Time from'}{' '}
      <select value={model.alignment.by} onChange={choose}>
        <option value="time">{several ? 'time' : 'first event'}</option>
        <option value="step">step</option>
      </select>
      {byStep && (
        <input
          type="number"
          aria-label="Step"
          title={`Step, ${first} to ${first + steps - 1}`}
          min={first}
          max={first + steps - 1}
          value={first + step}
          onChange={chooseStep}
        />
      )}
    </label>
  );
}

const kTypingPause = 150;

type SearchProps = Pick<ToolbarProps, 'search' | 'field' | 'listed' | 'showList'>;

function SearchField({ search, field, listed, showList }: SearchProps) {
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  const searched = useRef(Promise.resolve());
  const go = (forward: boolean) => search.next(forward, performance.now());
  const start = (query: string) => {
    timer.current = 0;
    searched.current = search.search(query);
  };
  const input = (event: Event) => {
    const query = (event.currentTarget as HTMLInputElement).value;
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => start(query), kTypingPause);
  };
  /** Does not wait for a pause in typing, but for what is found. */
  const enter = async (query: string, forward: boolean) => {
    clearTimeout(timer.current);
    if (timer.current !== 0) start(query);
    await searched.current;
    go(forward);
  };
  const press = (event: KeyboardEvent) => {
    event.stopPropagation();
    const element = event.currentTarget as HTMLInputElement;
    if (event.key === 'Enter') void enter(element.value, !event.shiftKey);
    if (event.key !== 'Escape') return;
    clearTimeout(timer.current);
    element.value = '';
    start('');
    element.blur();
  };
  return (
    <span class="tl-search" role="search">
      <input
        ref={field}
        type="search"
        placeholder="Search names or /regex/"
        aria-label="Search names"
        dir="auto"
        onInput={input}
        onKeyDown={press}
      />
      <button type="button" title="Previous (Shift+Enter)" disabled={search.events === 0} onClick={() => go(false)}>
        ‹
      </button>
      <button type="button" title="Next (Enter)" disabled={search.events === 0} onClick={() => go(true)}>
        ›
      </button>
      <button
        type="button"
        title="List what was found"
        aria-pressed={listed}
        disabled={search.events === 0}
        onClick={showList}
      >
        List
      </button>
      <span class="tl-found" role="status">
        {foundText(search)}
      </span>
    </span>
  );
}

function foundText(search: TimelineSearch): string {
  if (search.error !== null) return `Invalid expression: ${search.error}`;
  if (!search.active) return '';
  if (search.names === 0) return search.done ? 'Nothing found' : '…';
  return `${counted(search.names, 'name')}, ${counted(search.events, 'event')}${search.done ? '' : '…'}`;
}
