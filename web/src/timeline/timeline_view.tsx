import './timeline.css';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Report } from '../data/report.ts';
import type { Focus } from '../navigation.ts';
import { timeText } from '../text/units.ts';
import { holdKey, obey } from './commands.ts';
import { DetailsPanel } from './details_panel.tsx';
import { focusPlace } from './focus_place.ts';
import { onSchemeChange } from './inks.ts';
import { commandOf } from './keyboard.ts';
import { KeysDialog } from './keys_dialog.tsx';
import { LabelColumn } from './label_column.tsx';
import { listenToPointer } from './pointer.ts';
import { SelectionPanel } from './selection_panel.tsx';
import { Splitter } from './splitter.tsx';
import { kAxisHeight, Stage } from './stage.ts';
import { kMinimapHeight } from './minimap.ts';
import { TimelineModel } from './timeline_model.ts';
import { TimelineSearch } from './timeline_search.ts';
import { Toolbar } from './toolbar.tsx';
import { Tooltip, type Hovered } from './tooltip.tsx';

export interface TimelineProps {
  report: Report;
  /** A new object each time that somebody asks for a place. */
  focus: Focus | null;
}

/** Model, search and painting of one timeline, and the frames in which it is painted. */
class Timeline {
  readonly model: TimelineModel;
  readonly search: TimelineSearch;
  stage: Stage | null = null;
  changed: () => void = () => {};
  private frame = 0;

  constructor(report: Report) {
    this.model = new TimelineModel(
      report,
      () => this.repaint(),
      () => this.changed(),
    );
    this.search = new TimelineSearch(this.model);
  }

  repaint(): void {
    this.frame ||= requestAnimationFrame((now) => this.paint(now));
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.stage = null;
  }

  private paint(now: number): void {
    this.frame = 0;
    const moving = this.model.advance(now);
    this.stage?.paint();
    if (moving) this.repaint();
  }
}

const kNarrow = 900;
const kScrollSteps = 200;

export function TimelineView({ report, focus }: TimelineProps) {
  const timeline = useMemo(() => new Timeline(report), [report]);
  const { model, search } = timeline;
  const [, setVersion] = useState(0);
  const [labelWidth, setLabelWidth] = useState(() => (innerWidth < kNarrow ? 140 : 220));
  const [panelHeight, setPanelHeight] = useState(220);
  const [keys, setKeys] = useState(false);
  const [labelsFrom, setLabelsFrom] = useState(0);
  const host = useRef<HTMLElement>(null);
  const probe = useRef<HTMLSpanElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const tracks = useRef<HTMLCanvasElement>(null);
  const axis = useRef<HTMLCanvasElement>(null);
  const minimap = useRef<HTMLCanvasElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const hover = useRef<(hovered: Hovered) => void>(() => {});
  timeline.changed = () => setVersion((version) => version + 1);

  useLayoutEffect(() => {
    const canvases = {
      host: host.current!,
      probe: probe.current!,
      tracks: tracks.current!,
      axis: axis.current!,
      minimap: minimap.current!,
    };
    const stage = new Stage(model, search, canvases);
    timeline.stage = stage;
    model.scrollTo = (y) => scroller.current!.scrollTo({ top: y });
    const noPointer = listenToPointer(model, stage, canvases, (target, x, y) => hover.current({ target, x, y }));
    const noScheme = onSchemeChange(() => {
      stage.recolour();
      timeline.repaint();
    });
    timeline.repaint();
    return () => {
      noPointer();
      noScheme();
      timeline.stop();
    };
  }, [timeline]);

  useLayoutEffect(() => {
    const element = scroller.current!;
    const measure = () => {
      model.width = Math.max(50, element.clientWidth - labelWidth);
      model.height = element.clientHeight;
      timeline.repaint();
      setVersion((version) => version + 1);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [timeline, labelWidth]);

  useEffect(() => listenToKeys(timeline, host.current!, field, () => setKeys(true)), [timeline]);

  useEffect(() => {
    if (!focus) return;
    let wanted = true;
    void focusPlace(model, focus, performance.now(), () => wanted);
    return () => {
      wanted = false;
    };
  }, [timeline, focus]);

  const scrolled = () => {
    const top = scroller.current!.scrollTop;
    model.scrollTop = top;
    setLabelsFrom(Math.floor(top / kScrollSteps) * kScrollSteps);
    hover.current({ target: null, x: 0, y: 0 });
    timeline.repaint();
  };
  const loaded = model.selected && model.store.peek(model.selected);
  const left = { width: `${labelWidth}px` };
  return (
    <section class="sonde-timeline" ref={host} aria-label="Timeline">
      <span class="tl-probe" ref={probe} />
      <Toolbar model={model} search={search} showKeys={() => setKeys(true)} field={field} />
      <div class="tl-head">
        <div class="tl-corner" style={left} />
        <div>
          <canvas ref={minimap} class="tl-minimap" style={{ height: `${kMinimapHeight}px` }} aria-hidden="true" />
          <canvas ref={axis} class="tl-axis" style={{ height: `${kAxisHeight}px` }} aria-hidden="true" />
        </div>
        <Splitter
          class="tl-label-splitter"
          style={{ left: `${labelWidth - 4}px` }}
          label="Width of the labels"
          orientation="vertical"
          value={labelWidth}
          least={60}
          most={600}
          sign={1}
          set={setLabelWidth}
        />
      </div>
      <div class="tl-scroller" ref={scroller} onScroll={scrolled} tabIndex={-1}>
        <div class="tl-spacer" style={{ height: `${model.layout.height}px` }}>
          <LabelColumn model={model} width={labelWidth} scrollTop={labelsFrom} />
          <canvas
            ref={tracks}
            class="tl-tracks"
            style={{ marginLeft: `${labelWidth}px` }}
            tabIndex={0}
            role="application"
            aria-label="Tracks. Press question mark for the keys."
          />
        </div>
      </div>
      <Splitter
        class="tl-panel-splitter"
        label="Height of the panel"
        orientation="horizontal"
        value={panelHeight}
        least={0}
        most={600}
        sign={-1}
        set={setPanelHeight}
      />
      {model.selected && loaded?.kind === 'slices' && (
        <div class="tl-panel" style={{ height: `${panelHeight}px` }}>
          <DetailsPanel
            model={model}
            selected={model.selected}
            loaded={loaded}
            onLinks={(arrows) => {
              if (timeline.stage) timeline.stage.arrows = arrows;
              timeline.repaint();
            }}
          />
        </div>
      )}
      {model.area && (
        <div class="tl-panel" style={{ height: `${panelHeight}px` }}>
          <SelectionPanel model={model} area={model.area} />
        </div>
      )}
      <div class="tl-live" aria-live="polite">
        {selectionText(model)}
      </div>
      <Tooltip model={model} subscribe={(show) => (hover.current = show)} />
      {keys && <KeysDialog close={() => setKeys(false)} />}
    </section>
  );
}

/** The selection in words, for those who do not see it. */
function selectionText(model: TimelineModel): string {
  const { selected, area } = model;
  const loaded = selected && model.store.peek(selected);
  if (selected && loaded?.kind === 'slices') {
    const { start, end } = model.spanOf(selected, loaded);
    return `${model.selectedName.slice(0, 200)}, ${selected.track.label}, at ${timeText(start)}, takes ${timeText(end - start)}`;
  }
  if (!area) return '';
  const tracks = area.tracks.length;
  return `Selected ${timeText(area.span.end - area.span.start)} of ${tracks} ${tracks === 1 ? 'track' : 'tracks'}`;
}

const types = (element: Element | null): boolean =>
  element !== null && /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName) && element.getAttribute('type') !== 'button';

/** Keys count where the focus is in the timeline or nowhere. */
function listenToKeys(
  timeline: Timeline,
  host: HTMLElement,
  field: { current: HTMLInputElement | null },
  showKeys: () => void,
): () => void {
  const gone = new AbortController();
  const { signal } = gone;
  const { model } = timeline;
  const isOurs = () => {
    const focused = document.activeElement;
    const nowhere = focused === null || focused === document.body;
    return (nowhere && host.offsetParent !== null) || (host.contains(focused) && !types(focused));
  };
  const press = (event: KeyboardEvent) => {
    const command = isOurs() ? commandOf(event) : null;
    if (!command || event.defaultPrevented) return;
    if (command === 'step-into' && document.activeElement?.tagName === 'BUTTON') return;
    event.preventDefault();
    if (command === 'search') return field.current?.focus();
    if (command === 'keys') return showKeys();
    if (event.repeat && model.motion.holds(event.code)) return;
    obey(model, command, performance.now());
    holdKey(model, event.code, command, performance.now());
  };
  document.addEventListener('keydown', press, { signal });
  document.addEventListener('keyup', (event) => model.motion.release(event.code), { signal });
  window.addEventListener('blur', () => model.motion.releaseAll(), { signal });
  return () => gone.abort();
}
