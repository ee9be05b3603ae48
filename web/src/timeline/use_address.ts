import { useEffect } from 'preact/hooks';
import { hashOfTimeline } from '../page/place.ts';
import { showState, stateOf, type TimelineState } from './address.ts';
import type { Timeline } from './timeline.ts';

/** What a reader moves the timeline with; keys work wherever the focus is. */
const kTouches = ['pointerdown', 'keydown', 'wheel'] as const;

/** Shows what the address says, and writes there what the reader went to, so that a copied address leads back to it. */
export function useAddress(timeline: Timeline, state: TimelineState | null): void {
  useEffect(() => {
    if (state) void showState(timeline.model, state);
  }, [timeline, state]);
  useEffect(() => {
    let touched = false;
    const touch = () => {
      touched = true;
    };
    // An address that leads to evidence stays until the reader goes elsewhere.
    timeline.settled = () => {
      if (!touched || !location.hash.startsWith('#timeline')) return;
      touched = false;
      history.replaceState(null, '', hashOfTimeline(stateOf(timeline.model)));
    };
    for (const type of kTouches) document.addEventListener(type, touch, { passive: true, capture: true });
    return () => {
      for (const type of kTouches) document.removeEventListener(type, touch, { capture: true });
      timeline.settled = () => {};
    };
  }, [timeline]);
}
