interface SplitterProps {
  class: string;
  style?: { left: string };
  label: string;
  orientation: 'horizontal' | 'vertical';
  value: number;
  least: number;
  most: number;
  /** 1 where moving right or down makes it larger. */
  sign: 1 | -1;
  set: (value: number) => void;
}

const kKeyStep = 20;

/** A border that can be moved with the mouse or with the arrow keys. */
export function Splitter({ class: name, style, label, orientation, value, least, most, sign, set }: SplitterProps) {
  const clamped = (wanted: number) => Math.max(least, Math.min(most, wanted));
  const position = (event: PointerEvent) => (orientation === 'vertical' ? event.clientX : event.clientY);
  const drag = (event: PointerEvent) => {
    const from = position(event);
    const element = event.currentTarget as HTMLElement;
    const move = (next: PointerEvent) => set(clamped(value + sign * (position(next) - from)));
    element.setPointerCapture(event.pointerId);
    element.addEventListener('pointermove', move);
    element.addEventListener('lostpointercapture', () => element.removeEventListener('pointermove', move), {
      once: true,
    });
  };
  const press = (event: KeyboardEvent) => {
    const [less, more] = orientation === 'vertical' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    const by = event.key === more ? kKeyStep : event.key === less ? -kKeyStep : 0;
    if (by === 0) return;
    event.preventDefault();
    event.stopPropagation();
    set(clamped(value + sign * by));
  };
  return (
    <div
      class={name}
      style={style ?? {}}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={Math.round(value)}
      aria-valuemin={least}
      aria-valuemax={most}
      onPointerDown={drag}
      onKeyDown={press}
    />
  );
}
