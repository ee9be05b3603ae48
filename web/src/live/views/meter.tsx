/** 0 to 1 of what there is; null where either is not known. */
export const shareOf = (value: number | null, most: number | null): number | null =>
  value === null || most === null || most <= 0 ? null : Math.max(0, Math.min(1, value / most));

/** How much of something is taken, beside a text that says it. */
export function Meter({ value, most }: { value: number | null; most: number | null }) {
  const share = shareOf(value, most);
  return share === null ? null : (
    <span class="meter" aria-hidden="true">
      <span style={{ width: `${(100 * share).toFixed(1)}%` }} />
    </span>
  );
}
