import type { Report } from '../data/report.ts';
import type { Stage } from './stage.ts';
import { TimelineModel } from './timeline_model.ts';
import { TimelineSearch } from './timeline_search.ts';

/** ms */
const kRest = 400;

/** Model, search and painting of one timeline, and the frames in which it is painted. */
export class Timeline {
  readonly model: TimelineModel;
  readonly search: TimelineSearch;
  stage: Stage | null = null;
  changed: () => void = () => {};
  /** Called when what is shown has not changed for a while. */
  settled: () => void = () => {};
  private rest = 0;
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

  get arrows(): Stage['arrows'] {
    return this.stage?.arrows ?? [];
  }

  /** Drawn from launching calls to their work. */
  setArrows(arrows: Stage['arrows']): void {
    if (this.stage) this.stage.arrows = arrows;
    this.repaint();
  }

  stop(): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    clearTimeout(this.rest);
    this.stage = null;
  }

  private paint(now: number): void {
    this.frame = 0;
    const moving = this.model.advance(now);
    this.stage?.paint();
    if (moving) this.repaint();
    clearTimeout(this.rest);
    this.rest = window.setTimeout(() => this.settled(), kRest);
  }
}
