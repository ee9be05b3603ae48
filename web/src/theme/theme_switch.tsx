import { useState } from 'preact/hooks';
import { chooseTheme, storedTheme, type ThemeChoice } from './theme.ts';

const kChoices: [ThemeChoice, string][] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

export function ThemeSwitch() {
  const [choice, setChoice] = useState(storedTheme);
  const choose = (value: ThemeChoice) => {
    chooseTheme(value);
    setChoice(value);
  };
  return (
    <label class="theme-switch">
      Theme{' '}
      <select value={choice} onChange={(event) => choose(event.currentTarget.value as ThemeChoice)}>
        {kChoices.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
