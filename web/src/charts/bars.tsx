import type { Category } from '../data/format.ts';
import { cutApart } from '../text/kernel_names.ts';
import { cutMiddle } from '../text/names.ts';
import { percentText } from '../text/units.ts';
import { colourOf } from '../theme/colours.ts';
import { useScheme } from '../theme/use_scheme.ts';
import { useWidth } from './use_width.ts';

export interface Bar {
  name: string;
  /** The name as it is shown, where that is another text. */
  shown?: string | undefined;
  value: number;
  /** Not the colour of a category: what is left of the sum. */
  rest?: boolean;
  category: Category;
}

/** A name is whole on hover up to here. */
const kMostTitle = 1200;

/** The part of the width that names have (charts.css), and the pixels of a character in the mean. */
const kNamePart = 0.36;
const kCharacterWidth = 8;

export const lettersFor = (width: number): number => Math.max(12, Math.floor((width * kNamePart) / kCharacterWidth));

/** Horizontal bars with their names, values and shares: a list, so that it reads without the picture. */
export function Bars(props: {
  summary: string;
  bars: readonly Bar[];
  /** What a full bar means: of all sides of a comparison. */
  most: number;
  whole: number;
  text: (value: number) => string;
  valueTitle: string;
  shareTitle: string;
  onBar?: ((index: number) => void) | undefined;
}) {
  const scheme = useScheme();
  const { bars, most, whole, onBar } = props;
  const [ref, width] = useWidth<HTMLTableElement>();
  const texts = cutApart(
    bars.map(({ name, shown }) => shown ?? name),
    lettersFor(width),
  );
  return (
    <table ref={ref} class="sonde-bars" aria-label={props.summary}>
      <thead>
        <tr>
          <th scope="col">name</th>
          <th scope="col" class="number">
            {props.shareTitle}
          </th>
          <th scope="col" class="number">
            {props.valueTitle}
          </th>
          <td />
        </tr>
      </thead>
      <tbody>
        {bars.map((bar, index) => (
          <tr key={index}>
            <th scope="row" title={cutMiddle(bar.name, kMostTitle)}>
              {onBar && !bar.rest ? (
                <button type="button" onClick={() => onBar(index)}>
                  <bdi>{texts[index]}</bdi>
                </button>
              ) : (
                <bdi>{texts[index]}</bdi>
              )}
            </th>
            <td class="number">{percentText(whole > 0 ? (100 * bar.value) / whole : null)}</td>
            <td class="number">{props.text(bar.value)}</td>
            <td class="bar">
              <div
                class={bar.rest ? 'rest' : ''}
                style={{
                  width: `${most > 0 ? (100 * bar.value) / most : 0}%`,
                  ...(bar.rest ? {} : { background: colourOf(bar.category, bar.name, scheme) }),
                }}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
