import { Component, h, type ComponentType, type VNode } from 'preact';

/** Does not render again where each property is the same as before. */
export function memo<Props extends object>(Inner: ComponentType<Props>): ComponentType<Props> {
  return class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Readonly<Props>): boolean {
      const now = this.props as Record<string, unknown>;
      return Object.entries(next).some(([key, value]) => now[key] !== value);
    }
    override render(): VNode {
      return h(Inner as ComponentType<object>, this.props);
    }
  };
}
