import type { ColumnEntry } from './format.ts';

/** Reads one column. Whole numbers up to 2^53 are exact. */
export function readColumn(bytes: Uint8Array, entry: ColumnEntry): Float64Array {
  const end = entry.offset + entry.bytes;
  if (end > bytes.length) throw new Error(`column ${entry.name} reaches beyond its part of the report`);
  if (entry.encoding === 'f64') return readDoubles(bytes, entry);
  const values = new Float64Array(entry.count);
  const read =
    entry.encoding === 'varint'
      ? readVarints(bytes, entry.offset, end, values)
      : readDeltas(bytes, entry.offset, end, values);
  if (read !== end) throw new Error(`column ${entry.name} does not end where it says`);
  return values;
}

function readDoubles(bytes: Uint8Array, entry: ColumnEntry): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset + entry.offset, entry.bytes);
  const values = new Float64Array(entry.count);
  for (let i = 0; i < entry.count; ++i) values[i] = view.getFloat64(8 * i, true);
  return values;
}

const k2To28 = 2 ** 28;

/** The first 28 bits as an integer, which is nearly all there is; what is beyond as a double. */
function readVarints(bytes: Uint8Array, at: number, end: number, values: Float64Array): number {
  for (let i = 0; i < values.length; ++i) {
    let byte = bytes[at++]!;
    let low = byte & 127;
    let shift = 7;
    while (byte >= 128 && shift < 28) {
      byte = bytes[at++]!;
      low |= (byte & 127) << shift;
      shift += 7;
    }
    let value = low;
    let weight = k2To28;
    while (byte >= 128 && at < end) {
      byte = bytes[at++]!;
      value += (byte & 127) * weight;
      weight *= 128;
    }
    values[i] = value;
  }
  return at;
}

function readDeltas(bytes: Uint8Array, at: number, end: number, values: Float64Array): number {
  const after = readVarints(bytes, at, end, values);
  let sum = 0;
  for (let i = 0; i < values.length; ++i) {
    const zigzag = values[i]!;
    sum += zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    values[i] = sum;
  }
  return after;
}

/** All columns of a blob, by name. */
export function readColumns(bytes: Uint8Array, columns: ColumnEntry[]): Map<string, Float64Array> {
  return new Map(columns.map((entry) => [entry.name, readColumn(bytes, entry)]));
}
