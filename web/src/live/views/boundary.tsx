import { Component, type ComponentChildren } from 'preact';
import { texts } from '../text/texts.ts';

/** Keeps an error of one part from the rest of the page. */
export class Boundary extends Component<{ children: ComponentChildren }, { error: unknown }> {
  override state = { error: undefined as unknown };
  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }
  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <p class="part-error" role="alert">
        {texts.partFailed(error instanceof Error ? error.message : String(error))}
      </p>
    );
  }
}
