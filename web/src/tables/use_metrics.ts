import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Metrics } from './column_widths.ts';

/** What a 13 px font takes, until it is measured. */
const kGuess: Metrics = { digit: 7.4, name: 7.3, padding: 17 };

/** Widths of characters in the fonts that the table's element has: its own for numbers, `--sonde-mono` for names. */
export function useMetrics(ref: RefObject<HTMLElement | null>): Metrics {
  const [metrics, setMetrics] = useState(kGuess);
  useEffect(() => {
    const pen = document.createElement('canvas').getContext('2d');
    if (!ref.current || !pen) return;
    const style = getComputedStyle(ref.current);
    const measured = (font: string, text: string): number => {
      pen.font = font;
      return pen.measureText(text).width / text.length;
    };
    const digit = measured(`${style.fontSize} ${style.fontFamily}`, '0123456789');
    const name = measured(`12px ${style.getPropertyValue('--sonde-mono') || 'monospace'}`, 'void kernel<int, 128>');
    setMetrics({ ...kGuess, digit, name });
  }, [ref]);
  return metrics;
}
