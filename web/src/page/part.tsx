import { Component, type ComponentChildren } from 'preact';
import { usePromise } from './use_promise.ts';

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** To stand within a sentence. */
const clauseOf = (error: unknown): string => messageOf(error).replace(/\.+$/, '');

/** Stands where a part would, which cannot be shown; the rest of the page works. */
export function PartError({ error }: { error: unknown }) {
  return (
    <p class="part-error" role="alert">
      This part of the report cannot be shown: {clauseOf(error)}. Make the report again; if this comes back, it is a bug
      in Sonde.
    </p>
  );
}

interface BoundaryProps {
  children: ComponentChildren;
}

/** Keeps an error of one part from the others. */
export class PartBoundary extends Component<BoundaryProps, { error: unknown }> {
  override state = { error: undefined as unknown };
  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }
  override render() {
    return this.state.error === undefined ? this.props.children : <PartError error={this.state.error} />;
  }
}

interface WhenLoadedProps<T> {
  of: Promise<T>;
  children: (value: T) => ComponentChildren;
}

/** Shows what a promise brings: a line until then, a sentence where it fails. */
export function WhenLoaded<T>({ of, children }: WhenLoadedProps<T>) {
  const loaded = usePromise(of);
  if (loaded.state === 'waiting') return <p class="waiting">Reading this part…</p>;
  return loaded.state === 'failed' ? <PartError error={loaded.error} /> : <>{children(loaded.value)}</>;
}
