import './timeline.css';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Report } from '../data/report.ts';
import type { Focus } from '../navigation.ts';
import { type TimelineState } from './address.ts';
import { BottomPanel, selectionText } from './bottom_panel.tsx';
import { focusPlace } from './focus_place.ts';
import { HitList } from './hit_list.tsx';
import { onSchemeChange } from './inks.ts';
import { listenToKeys } from './key_listener.ts';
import { KeysDialog } from './keys_dialog.tsx';
import { LabelColumn } from './label_column.tsx';
import { kMinimapHeight } from './minimap.ts';
import { listenToPointer } from './pointer.ts';
import { NotesPanel } from './notes_panel.tsx';
import { RowsPanel } from './rows_panel.tsx';
import { Splitter } from './splitter.tsx';
import { kAxisHeight, Stage } from './stage.ts';
import { Timeline } from './timeline.ts';
import { TimelineLegend } from './timeline_legend.tsx';
import { Toolbar } from './toolbar.tsx';
import { Tooltip, type Hovered } from './tooltip.tsx';
import { useAddress } from './use_address.ts';

export interface TimelineProps {
  report: Report;
  /** A new object each time that somebody asks for a place. */
  focus: Focus | null;
  /** What the address says; a new object each time that it changes. */
  state: TimelineState | null;
}

const kNarrow = 900;
const kScrollSteps = 200;

export function TimelineView({ report, focus, state }: TimelineProps) {
  const timeline = useMemo(() => new Timeline(report), [report]);
  const { model, search } = timeline;
  const [, setVersion] = useState(0);
  const [labelWidth, setLabelWidth] = useState(() => (innerWidth < kNarrow ? 170 : 230));
  const [keys, setKeys] = useState(false);
  const [legend, setLegend] = useState(() => innerWidth >= kNarrow);
  const [listed, setListed] = useState(false);
  const [rows, setRows] = useState(false);
  const [notes, setNotes] = useState(() => model.notes.length > 0);
  const noteField = useRef<HTMLInputElement>(null);
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
      model.resize(Math.max(50, element.clientWidth - labelWidth), element.clientHeight);
      setVersion((version) => version + 1);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [timeline, labelWidth]);

  const [asked, setAsked] = useState(0);
  const writeNote = () => {
    setNotes(true);
    setAsked((times) => times + 1);
  };
  useEffect(() => {
    if (asked > 0) noteField.current?.focus();
  }, [asked]);

  useEffect(() => listenToKeys(timeline, host.current!, field, () => setKeys(true), writeNote), [timeline]);

  useEffect(() => {
    if (!focus) return;
    let wanted = true;
    void focusPlace(model, focus, performance.now(), () => wanted);
    return () => {
      wanted = false;
    };
  }, [timeline, focus]);

  useAddress(timeline, state);

  const scrolled = () => {
    const top = scroller.current!.scrollTop;
    model.scrollTop = top;
    setLabelsFrom(Math.floor(top / kScrollSteps) * kScrollSteps);
    hover.current({ target: null, x: 0, y: 0 });
    timeline.repaint();
  };
  const left = { width: `${labelWidth}px` };
  return (
    <section class="sonde-timeline" ref={host} aria-label="Timeline">
      <span class="tl-probe" ref={probe} />
      <Toolbar
        {...{ model, search, field, legend, listed, rows, notes }}
        showNotes={() => setNotes(!notes)}
        showRows={() => setRows(!rows)}
        showKeys={() => setKeys(true)}
        showLegend={() => setLegend(!legend)}
        showList={() => setListed(!listed)}
      />
      {legend && <TimelineLegend model={model} />}
      {notes && <NotesPanel model={model} field={noteField} />}
      {rows && <RowsPanel model={model} />}
      {listed && <HitList model={model} search={search} />}
      <div class="tl-head">
        <div class="tl-corner" style={left} />
        <div>
          <canvas ref={minimap} class="tl-minimap" style={{ height: `${kMinimapHeight}px` }} aria-hidden="true" />
          <canvas ref={axis} class="tl-axis" style={{ height: `${kAxisHeight}px` }} aria-hidden="true" />
        </div>
        <Splitter
          class="tl-label-splitter"
          style={{ left: `${labelWidth - 4}px` }}
          label="Label width"
          orientation="vertical"
          value={labelWidth}
          least={60}
          most={600}
          sign={1}
          set={setLabelWidth}
        />
      </div>
      <div class="tl-scroller" ref={scroller} onScroll={scrolled} tabIndex={-1}>
        {model.layout.items.length === 0 && model.nodes.length > 0 && (
          <p class="tl-empty">All rows are hidden. The button Rows shows them again.</p>
        )}
        {model.nodes.length === 0 && <p class="tl-empty">This report has no timeline events.</p>}
        <div class="tl-spacer" style={{ height: `${model.layout.height}px` }}>
          <LabelColumn model={model} width={labelWidth} scrollTop={labelsFrom} />
          <canvas
            ref={tracks}
            class="tl-tracks"
            style={{ marginLeft: `${labelWidth}px` }}
            tabIndex={0}
            role="application"
            aria-label="Tracks. Press the question mark key for the list of keys."
          />
        </div>
      </div>
      <BottomPanel timeline={timeline} />
      <div class="tl-live" aria-live="polite">
        {selectionText(model)}
      </div>
      <Tooltip model={model} subscribe={(show) => (hover.current = show)} />
      {keys && <KeysDialog close={() => setKeys(false)} />}
    </section>
  );
}
