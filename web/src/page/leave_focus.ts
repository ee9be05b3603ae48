/**
 * For links that lead to the timeline: after a click with the pointer its keys are to work at once, so the link does not
 * keep the focus. Who came by keyboard stays where they are.
 */
export function leaveAfterClick(event: MouseEvent): void {
  if (event.detail > 0 && event.currentTarget instanceof HTMLElement) event.currentTarget.blur();
}
