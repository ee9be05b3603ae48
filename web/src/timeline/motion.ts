import { between, lengthOf, panView, zoomView, type Span } from './viewport.ts';

/** How the view moves: short glides to a target, and steadily for as long as a key is held. */
const kGlideMs = 140;
/** A held key goes on after this. */
const kHoldMs = 160;
/** Of the view's length, and its logarithm, a second. */
const kPanSpeed = 1.3;
const kZoomSpeed = 3;

export interface Push {
  pan: number;
  zoom: number;
}

const easeOut = (share: number): number => 1 - (1 - share) ** 3;

export class Motion {
  private glide: { from: Span; to: Span; since: number } | null = null;
  private held = new Map<string, { push: Push; since: number }>();
  private last = 0;

  get moving(): boolean {
    return this.glide !== null || this.held.size > 0;
  }

  /** Where the view is on its way to. */
  target(view: Span): Span {
    return this.glide?.to ?? view;
  }

  glideTo(from: Span, to: Span, now: number): void {
    this.glide = { from, to, since: now };
  }

  stop(): void {
    this.glide = null;
  }

  hold(key: string, push: Push, now: number): void {
    if (this.held.size === 0) this.last = now;
    this.held.set(key, { push, since: now });
  }

  holds(key: string): boolean {
    return this.held.has(key);
  }

  release(key: string): void {
    this.held.delete(key);
  }

  releaseAll(): void {
    this.held.clear();
  }

  /** The view at `now`; zooms at `anchor`. */
  step(view: Span, bounds: Span, anchor: number, now: number): Span {
    if (this.glide) {
      const share = (now - this.glide.since) / kGlideMs;
      if (share < 1) return between(this.glide.from, this.glide.to, easeOut(Math.max(0, share)));
      view = this.glide.to;
      this.glide = null;
    }
    const seconds = Math.min(0.1, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    for (const { push, since } of this.held.values()) {
      if (now - since < kHoldMs) continue;
      if (push.zoom !== 0) view = zoomView(view, Math.exp(push.zoom * kZoomSpeed * seconds), anchor, bounds);
      if (push.pan !== 0) view = panView(view, push.pan * kPanSpeed * seconds * lengthOf(view), bounds);
    }
    return view;
  }
}
