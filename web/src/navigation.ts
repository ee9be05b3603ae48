/** What one view asks of another: where to go on the timeline, which page of the report to show. */

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
  /** Shows a part of the page by its id: "findings", "timeline", "modules", "kernels", "copies", "steps", "tables", "capture". */
  show(part: string): void;
}
