import { isText, type DataColumn } from './cells.ts';
import { columnWidths, type Metrics } from './column_widths.ts';

/** CSS pixels between the margins of A4 and Letter, upright. */
const kPaperWidth = 700;
/** Smaller than this nobody reads it. */
const kLeastZoom = 0.6;

export interface PaperLayout {
  /** Indexes of the columns that fit, in their order. */
  columns: number[];
  zoom: number;
}

/** Wide tables get smaller on paper, and beyond that lose their last numbers, never their names. */
export function paperLayout(columns: readonly DataColumn[], metrics: Metrics): PaperLayout {
  const sum = (widths: readonly number[]): number => widths.reduce((a, b) => a + b, 0);
  const all = columns.map((_, i) => i);
  if (sum(columnWidths(columns, kPaperWidth, metrics)) <= kPaperWidth) return { columns: all, zoom: 1 };
  let room = kPaperWidth / kLeastZoom;
  const widths = columnWidths(columns, 0, metrics);
  const names = all.filter((i) => isText(columns[i]!));
  const numbers = all.filter((i) => !names.includes(i));
  const kept = [...names, ...numbers].filter((i) => {
    room -= widths[i]!;
    return room >= 0 || names.includes(i);
  });
  return { columns: kept.sort((a, b) => a - b), zoom: kLeastZoom };
}
