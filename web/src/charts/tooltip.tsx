import { cutMiddle } from '../text/names.ts';

export type Fact = readonly [name: string, value: string];

export interface TooltipContent {
  title: string;
  facts: readonly Fact[];
  /** What Enter or a click does. */
  action?: string | undefined;
}

/** A name is shown whole up to here; some have thousands of characters. */
const kMostCharacters = 1200;

/** Beside the point (x, y) of an area `width` wide, on the side where there is more room. Read out as it changes. */
export function Tooltip(props: { content: TooltipContent | null; x: number; y: number; width: number }) {
  const { content, x, y, width } = props;
  const place = x > width / 2 ? { right: `${width - x + 14}px` } : { left: `${x + 14}px` };
  return (
    <div class="sonde-tooltip" role="status" hidden={!content} style={{ top: `${y}px`, ...place }}>
      {content && (
        <>
          <p class="sonde-tooltip-title">
            <bdi>{cutMiddle(content.title, kMostCharacters)}</bdi>
          </p>
          <dl>
            {content.facts.map(([name, value]) => (
              <div key={name}>
                <dt>
                  <bdi>{name}</bdi>
                </dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ))}
          </dl>
          {content.action && <p class="sonde-muted">{content.action}</p>}
        </>
      )}
    </div>
  );
}
