import type { Report } from '../data/report.ts';

interface ProfileSwitchProps {
  report: Report;
  chosen: number;
  onChoose: (profile: number) => void;
}

/** Which profile a part shows, where the page holds several. */
export function ProfileSwitch({ report, chosen, onChoose }: ProfileSwitchProps) {
  if (report.profiles.length < 2) return null;
  return (
    <div class="profile-switch no-print" role="group" aria-label="Profile">
      {report.profiles.map(({ index, document }) => (
        <button key={index} type="button" aria-pressed={index === chosen} onClick={() => onChoose(index)}>
          <bdi>{document.label}</bdi>
        </button>
      ))}
    </div>
  );
}
