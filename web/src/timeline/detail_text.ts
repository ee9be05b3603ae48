import { countText } from '../text/units.ts';

const kBytes = ', bytes';

/** Name and value of a detail: "shared memory, bytes" 98304 is "shared memory" of "98,304 B". Pure. */
export function detailText(name: string, value: string): [name: string, value: string] {
  if (!name.endsWith(kBytes) || !/^\d+$/.test(value)) return [name, value];
  return [name.slice(0, -kBytes.length), `${countText(Number(value))}\u202fB`];
}
