import { tracksBetween } from './layout.ts';
import { sameTarget, targetAt, type Target } from './hover.ts';
import type { Canvases, Stage } from './stage.ts';
import { snapped } from './area_sums.ts';
import type { TimelineModel } from './timeline_model.ts';
import { focusView, lengthOf, timeAt, type Span } from './viewport.ts';

/** Pixels that a pointer may move and still click. */
const kClickSlack = 4;
const kWheelZoom = 0.0015;

interface Drag {
  kind: 'area' | 'pan' | 'axis' | 'minimap';
  x: number;
  y: number;
  lastX: number;
  lastY: number;
  moved: boolean;
  /** On the minimap: from the pointer to the middle of the view, in time. */
  grip: number;
}

const spanOf = (a: number, b: number): Span => ({ start: Math.min(a, b), end: Math.max(a, b) });

/** Mouse, pen and touch on the canvases. Gives what takes the listeners away again. */
export function listenToPointer(
  model: TimelineModel,
  stage: Stage,
  canvases: Canvases,
  onHover: (target: Target, x: number, y: number) => void,
): () => void {
  const gone = new AbortController();
  const pointer = new PointerGestures(model, stage, canvases, onHover);
  pointer.listen(gone.signal);
  return () => gone.abort();
}

class PointerGestures {
  private drag: Drag | null = null;
  private target: Target = null;

  constructor(
    private readonly model: TimelineModel,
    private readonly stage: Stage,
    private readonly canvases: Canvases,
    private readonly onHover: (target: Target, x: number, y: number) => void,
  ) {}

  listen(signal: AbortSignal): void {
    const { tracks, axis, minimap } = this.canvases;
    const begins: [HTMLCanvasElement, (event: PointerEvent) => Drag['kind'] | null][] = [
      [tracks, (event) => (event.button === 1 || event.shiftKey ? 'pan' : event.button === 0 ? 'area' : null)],
      [axis, (event) => (event.button === 1 || event.shiftKey ? 'pan' : event.button === 0 ? 'axis' : null)],
      [minimap, (event) => (event.button === 0 ? 'minimap' : null)],
    ];
    for (const [canvas, kindOf] of begins) {
      canvas.addEventListener('pointerdown', (event) => this.begin(event, canvas, kindOf(event)), { signal });
      canvas.addEventListener('pointermove', (event) => this.move(event, canvas), { signal });
      canvas.addEventListener('pointerup', (event) => this.end(event, canvas), { signal });
      canvas.addEventListener('pointercancel', () => this.cancel(), { signal });
      canvas.addEventListener('pointerleave', () => this.leave(), { signal });
      canvas.addEventListener('wheel', (event) => this.wheel(event), { signal, passive: false });
    }
    tracks.addEventListener('dblclick', () => this.zoomToSlice(), { signal });
    axis.addEventListener('dblclick', () => this.model.showAll(performance.now()), { signal });
  }

  private begin(event: PointerEvent, canvas: HTMLCanvasElement, kind: Drag['kind'] | null): void {
    if (!kind) return;
    canvas.setPointerCapture(event.pointerId);
    this.canvases.tracks.focus({ preventScroll: true });
    event.preventDefault();
    const { offsetX: x, offsetY: y } = event;
    this.drag = { kind, x, y: y + this.model.scrollTop, lastX: x, lastY: event.clientY, moved: false, grip: 0 };
    this.onHover(null, 0, 0);
    if (kind === 'minimap') this.beginMinimap(this.drag, x);
  }

  private move(event: PointerEvent, canvas: HTMLCanvasElement): void {
    const { offsetX: x, offsetY: y } = event;
    this.model.pointerX = canvas === this.canvases.minimap ? null : Math.min(this.model.width, Math.max(0, x));
    if (this.drag) return this.dragTo(this.drag, event);
    if (canvas !== this.canvases.tracks) return;
    const target = targetAt(this.model, this.stage.scenes, x, y);
    if (!sameTarget(target, this.target)) {
      this.model.hover = target?.type === 'slice' ? target.ref : null;
      this.model.repaint();
    }
    this.target = target;
    canvas.style.cursor = target?.type === 'group' ? 'pointer' : 'default';
    this.onHover(target, event.clientX, event.clientY);
  }

  private dragTo(drag: Drag, event: PointerEvent): void {
    const { model } = this;
    const x = event.offsetX;
    const y = event.offsetY + model.scrollTop;
    drag.moved ||= Math.abs(x - drag.x) > kClickSlack || (drag.kind === 'pan' && Math.abs(y - drag.y) > kClickSlack);
    if (!drag.moved) return;
    const span = spanOf(timeAt(model.view, model.width, drag.x), timeAt(model.view, model.width, x));
    if (drag.kind === 'area') {
      model.selected = null;
      model.area = { span, tracks: tracksBetween(model.layout, Math.min(y, drag.y), Math.max(y, drag.y) + 1) };
      model.repaint();
    } else if (drag.kind === 'axis') {
      this.stage.draggedAxis = span;
      model.repaint();
    } else if (drag.kind === 'minimap') this.moveMinimap(drag, x);
    else {
      model.pan(drag.lastX - x);
      model.scrollTo(model.scrollTop + drag.lastY - event.clientY);
    }
    drag.lastX = x;
    drag.lastY = event.clientY;
  }

  /** The window can be taken anywhere; beside it, it jumps to the pointer. */
  private beginMinimap(drag: Drag, x: number): void {
    const { view } = this.model;
    const at = timeAt(this.stage.minimap.span, this.model.width, x);
    if (at >= view.start && at <= view.end) drag.grip = (view.start + view.end) / 2 - at;
    else this.moveMinimap(drag, x);
  }

  private moveMinimap(drag: Drag, x: number): void {
    const { model, stage } = this;
    const middle = timeAt(stage.minimap.span, model.width, x) + drag.grip;
    const half = lengthOf(model.view) / 2;
    model.setView({ start: middle - half, end: middle + half });
  }

  private end(event: PointerEvent, canvas: HTMLCanvasElement): void {
    const { drag, model, stage } = this;
    this.drag = null;
    const span = stage.draggedAxis;
    stage.draggedAxis = null;
    if (!drag) return;
    if (span && lengthOf(span) > 0) model.glideTo(span, performance.now());
    else if (drag.moved && drag.kind === 'area' && model.area) {
      model.selectArea({ ...model.area, span: snapped(model.report, model.lanes, model.area).span });
    } else if (!drag.moved && canvas === this.canvases.tracks && event.button === 0) {
      this.click(event.offsetX, event.offsetY);
    }
  }

  private cancel(): void {
    this.drag = null;
    this.stage.draggedAxis = null;
    this.model.repaint();
  }

  private leave(): void {
    this.model.pointerX = null;
    this.model.hover = null;
    this.target = null;
    this.onHover(null, 0, 0);
    this.model.repaint();
  }

  private click(x: number, y: number): void {
    const target = targetAt(this.model, this.stage.scenes, x, y);
    if (target?.type === 'slice') this.model.select(target.ref, target.loaded);
    else if (target?.type === 'group') this.model.toggle(target.key);
    else this.model.selectArea(null);
  }

  private zoomToSlice(): void {
    const { selected } = this.model;
    const loaded = selected && this.model.store.peek(selected);
    if (!selected || loaded?.kind !== 'slices') return;
    this.model.glideTo(focusView(this.model.spanOf(selected, loaded), this.model.lanes.bounds), performance.now());
  }

  /** The wheel scrolls tracks, with Shift or sideways it moves in time, with Ctrl or Cmd it zooms. */
  private wheel(event: WheelEvent): void {
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    const zooms = event.ctrlKey || event.metaKey;
    if (!zooms && Math.abs(sideways) <= Math.abs(event.deltaY) && !event.shiftKey) return;
    event.preventDefault();
    this.onHover(null, 0, 0);
    if (zooms) this.model.zoomAt(Math.exp(clamped(event.deltaY * pixels) * kWheelZoom), event.offsetX);
    else this.model.pan(sideways * pixels);
  }
}

/** A notch of some mice is hundreds of pixels. */
const clamped = (delta: number): number => Math.max(-240, Math.min(240, delta));
