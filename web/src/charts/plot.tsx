import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { frameOf, Picture, type Frame } from './axes.tsx';
import { Tooltip, type TooltipContent } from './tooltip.tsx';
import { useWidth } from './use_width.ts';

export interface Place {
  x: number;
  y: number;
}

export interface PlotProps {
  height: number;
  /** Read out in place of the picture. */
  summary: string;
  /** Where each point stands; arrow keys go through them in this order. */
  places: (frame: Frame) => readonly Place[];
  /** Whether the pointer finds the nearest point, or the one that is nearest from left to right. */
  find: 'point' | 'column';
  content: (index: number) => TooltipContent;
  onPoint?: ((index: number) => void) | undefined;
  draw: (frame: Frame) => ComponentChildren;
  /** Drawn over it for the point that is looked at. */
  mark: (place: Place, index: number, frame: Frame) => ComponentChildren;
}

/** Farther from a point the pointer does not find it. */
const kReach = 24;

export function nearestOf(places: readonly Place[], at: Place, find: PlotProps['find']): number | null {
  let best: number | null = null;
  let least = find === 'point' ? kReach ** 2 : Infinity;
  places.forEach((place, index) => {
    const distance = (place.x - at.x) ** 2 + (find === 'point' ? (place.y - at.y) ** 2 : 0);
    if (distance >= least) return;
    least = distance;
    best = index;
  });
  return best;
}

/** The point that a key goes to; undefined where the key means nothing here. */
export function pointAfterKey(key: string, active: number | null, count: number): number | null | undefined {
  if (key === 'Escape') return active === null ? undefined : null;
  if (count === 0) return undefined;
  if (key === 'Home') return 0;
  if (key === 'End') return count - 1;
  if (key === 'ArrowRight' || key === 'ArrowDown') return active === null ? 0 : Math.min(count - 1, active + 1);
  if (key === 'ArrowLeft' || key === 'ArrowUp') return active === null ? count - 1 : Math.max(0, active - 1);
  return undefined;
}

/** A picture whose points tell about themselves under the pointer and by arrow keys; a click or Enter goes there. */
export function Plot(props: PlotProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const [asked, setActive] = useState<number | null>(null);
  const frame = useMemo(() => frameOf(width, props.height), [width, props.height]);
  const places = useMemo(() => props.places(frame), [props.places, frame]);
  const drawing = useMemo(() => props.draw(frame), [props.draw, frame]);
  const active = asked !== null && asked < places.length ? asked : null;
  const place = active === null ? null : places[active]!;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && active !== null) props.onPoint?.(active);
    const next = pointAfterKey(event.key, active, places.length);
    if (next === undefined) return;
    event.preventDefault();
    setActive(next);
  };
  const onPointerMove = (event: PointerEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    setActive(nearestOf(places, { x: event.clientX - box.left, y: event.clientY - box.top }, props.find));
  };
  return (
    <div
      ref={ref}
      class={props.onPoint && place ? 'sonde-plot clickable' : 'sonde-plot'}
      tabIndex={0}
      role="group"
      aria-label="Chart: arrow keys move between points"
      onKeyDown={onKeyDown}
      onPointerMove={onPointerMove}
      onPointerLeave={() => setActive(null)}
      onBlur={() => setActive(null)}
      onClick={() => active !== null && props.onPoint?.(active)}
    >
      <Picture frame={frame} summary={props.summary}>
        {drawing}
      </Picture>
      {place && (
        <svg class="sonde-overlay" aria-hidden="true" width={frame.width} height={frame.height}>
          {props.mark(place, active!, frame)}
        </svg>
      )}
      <Tooltip
        content={active === null ? null : props.content(active)}
        x={place?.x ?? 0}
        y={place?.y ?? 0}
        width={width}
      />
    </div>
  );
}
