import { cutMiddle } from '../text/names.ts';

export const kFont = "11px ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";

const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);
/** Of a name that is cut: two characters, the mark, two more. */
const kFewest = 5;
/** Longer names are not measured whole. */
const kMeasured = 200;

/**
 * Names cut so that they fit into a width. Measuring and cutting are slow, so plain names are counted in characters of
 * the one width that the font has, and what was cut once is kept.
 */
export class TextFitter {
  private character = 6.6;
  private readonly widths = new Map<string, number>();
  private cuts = new Map<string, Map<number, string>>();
  private kept = 0;

  measureWith(context: CanvasRenderingContext2D): void {
    context.font = kFont;
    this.character = context.measureText('mmmmmmmmmm').width / 10 || this.character;
    this.context = context;
  }
  private context: CanvasRenderingContext2D | null = null;

  /** CSS pixels that a slice needs to carry a text at all. */
  get leastWidth(): number {
    return 3 * this.character + 6;
  }

  /** '' where too little of it fits to tell anything. */
  fit(name: string, width: number): string {
    const most = Math.floor(width / this.widthOf(name));
    if (name.length <= most) return name;
    if (most < kFewest) return '';
    let cuts = this.cuts.get(name);
    if (!cuts) this.cuts.set(name, (cuts = new Map()));
    let cut = cuts.get(most);
    if (cut === undefined) {
      cuts.set(most, (cut = cutMiddle(name, most)));
      this.forgetSome();
    }
    return cut;
  }

  private forgetSome(): void {
    if (++this.kept < 20_000) return;
    this.cuts = new Map();
    this.kept = 0;
  }

  /** Of a character of this name: plain ones are all alike. */
  private widthOf(name: string): number {
    let width = this.widths.get(name);
    if (width !== undefined) return width;
    const measured = name.slice(0, kMeasured);
    width = this.character;
    if (!isPlain(measured) && this.context)
      width = Math.max(width, this.context.measureText(measured).width / Math.max(1, measured.length));
    this.widths.set(name, width);
    return width;
  }
}
