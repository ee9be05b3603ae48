/** What one view asks of another: where to go on the timeline. */

export interface Focus {
  /** Index of ReportDocument.profiles. */
  profile: number;
  start_ns: number;
  end_ns: number;
  /** Track.place; the tracks of that place come into view. */
  place?: string | undefined;
  /** Name of the slice to select, where there is one of this name in the span. */
  what?: string | undefined;
}

export interface Navigation {
  /** Shows the timeline at this place, with some room around it, and marks the span. */
  showOnTimeline(focus: Focus): void;
}
