/** The other side of data/columns.ts, for tests. */

export function varints(values: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (let value of values) {
    while (value >= 128) {
      bytes.push((value % 128) + 128);
      value = Math.floor(value / 128);
    }
    bytes.push(value);
  }
  return Uint8Array.from(bytes);
}

export const zigzag = (value: number): number => (value >= 0 ? 2 * value : -2 * value - 1);
