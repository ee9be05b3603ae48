import type { ComponentChildren } from 'preact';
import { cutMiddle } from '../text/names.ts';

/** What stands around each chart: its title, what is chosen for it, and a sentence that says with numbers what is seen. */
export function ChartFrame(props: {
  title: string;
  says?: string | null;
  controls?: ComponentChildren;
  legend?: ComponentChildren;
  children: ComponentChildren;
}) {
  const { title, says, controls, legend, children } = props;
  return (
    <figure class="sonde-chart">
      <figcaption>
        <h3>{title}</h3>
        {says && <p>{says}</p>}
      </figcaption>
      {controls && <div class="sonde-controls">{controls}</div>}
      {children}
      {legend}
    </figure>
  );
}

export interface Choice {
  key: string;
  title: string;
}

export function Select(props: {
  label: string;
  choices: readonly Choice[];
  value: string;
  onChoose: (key: string) => void;
}) {
  const { label, choices, value, onChoose } = props;
  return (
    <label>
      {label}{' '}
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {choices.map(({ key, title }) => (
          <option key={key} value={key}>
            {cutMiddle(title, 90)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Marks in a chart what has a text in its name. */
export function SearchField({ value, onSearch }: { value: string; onSearch: (text: string) => void }) {
  return (
    <label>
      Search{' '}
      <input
        type="search"
        value={value}
        placeholder="part of a name"
        onInput={(event) => onSearch(event.currentTarget.value)}
      />
    </label>
  );
}
