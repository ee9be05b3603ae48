import type { TableDocument } from '../data/format.ts';
import type { Focus } from '../navigation.ts';
import type { CellValue, DataColumn } from './cells.ts';

type Find = (pattern: RegExp) => DataColumn | undefined;

/** "thread 1234" or "GPU 0", as tracks are named, from the columns that tell it. */
function placeOf(find: Find): (row: number) => string | undefined {
  const gpu = find(/^(device|devid)$/i);
  const thread = find(/^tid$/i);
  return (row) => {
    const device = gpu?.values[row];
    if (typeof device === 'number') return `GPU ${device}`;
    const [, number] = /\((\d+)\)$/.exec(typeof device === 'string' ? device : '') ?? [];
    if (number !== undefined) return `GPU ${number}`;
    const tid = thread?.values[row];
    return typeof tid === 'number' ? `thread ${tid}` : undefined;
  };
}

const number = (value: CellValue | undefined): number | undefined => (typeof value === 'number' ? value : undefined);

/** Start, length and name as the tables call them; what runs on a GPU before the call that put it there. */
const kEvents: [RegExp, RegExp, RegExp][] = [
  [/^kernel start \(ns\)$/i, /^kernel dur \(ns\)$/i, /^kernel name$/i],
  [/^projected start \(ns\)$/i, /^projected duration \(ns\)$/i, /^name$/i],
  [/^start \(ns\)$/i, /^dur(ation)? \(ns\)$/i, /^(name|function|operation|range)$/i],
];

/** For a table whose rows are events with a beginning and a length: where each is on the timeline. */
export function focusOfRow(
  { columns }: Pick<TableDocument, 'columns'>,
  profile: number,
): ((row: number) => Focus | undefined) | undefined {
  const find: Find = (pattern) => columns.find(({ name }) => pattern.test(name));
  const [start, duration, name] =
    kEvents.map((names) => names.map((pattern) => find(pattern))).find(([from, length]) => from && length) ?? [];
  if (!start || !duration) return undefined;
  const place = placeOf(find);
  return (row) => {
    const from = number(start.values[row]);
    const length = number(duration.values[row]);
    if (from === undefined || length === undefined) return undefined;
    const what = name?.values[row];
    return {
      profile,
      start_ns: from,
      end_ns: from + length,
      place: place(row),
      what: typeof what === 'string' ? what : undefined,
    };
  };
}
