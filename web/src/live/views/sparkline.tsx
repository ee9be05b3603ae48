import { linePath } from '../../charts/line_chart.tsx';
import { kSparkSeconds } from '../state/sparks.ts';
import { texts } from '../text/texts.ts';

const kWidth = 120;
const kHeight = 26;

interface SparklineProps {
  what: string;
  at: readonly number[];
  values: readonly (number | null)[];
  /** At the top of the picture; unknown: the greatest value. */
  most: number | null;
  text: (value: number) => string;
}

/** A value's last 15 minutes; from 0. */
export function Sparkline({ what, at, values, most, text }: SparklineProps) {
  const known = values.filter((value): value is number => value !== null);
  if (known.length === 0) return <span class="spark" role="img" aria-label={texts.gpus.sparkEmpty(what)} />;
  const least = Math.min(...known);
  const top = Math.max(most ?? 0, ...known) || 1;
  const end = at.at(-1)!;
  const x = { log: false, low: end - kSparkSeconds, high: end, from: 0, to: kWidth - 1 };
  const y = { log: false, low: 0, high: top, from: kHeight - 1, to: 1.5 };
  const line = linePath(at, values, x, y);
  return (
    <svg
      class="spark"
      role="img"
      aria-label={texts.gpus.spark(what, text(least), text(Math.max(...known)))}
      viewBox={`0 0 ${kWidth} ${kHeight}`}
      preserveAspectRatio="none"
    >
      <path class="spark-base" d={`M0 ${kHeight - 0.5}H${kWidth}`} />
      <path class="spark-line" d={line} />
    </svg>
  );
}
