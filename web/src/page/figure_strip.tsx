import type { ProfileDocument } from '../data/format.ts';
import { figuresOf } from './figures.ts';
import { Name } from './name.tsx';

export function FigureStrip({ profile }: { profile: ProfileDocument }) {
  return (
    <dl class="figures">
      {figuresOf(profile).map(({ title, value, note }) => (
        <div key={title} class="figure">
          <dt>{title}</dt>
          <dd>
            <span class="figure-value">{value}</span>{' '}
            <span class="figure-note">
              <Name text={note} most={70} />
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
