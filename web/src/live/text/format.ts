import { kAbsent, percentText } from '../../text/units.ts';
import { texts } from './texts.ts';

/** Amounts of GPUs as people of the field write them. Unknown is kAbsent, never 0. */

const kThin = '\u202f';
const kGiB = 2 ** 30;

type Maybe = number | null | undefined;
export const isKnown = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
export const numberOf = (value: unknown): number | null => (isKnown(value) ? value : null);

const unit =
  (name: string, digits = 0, scale = 1) =>
  (value: Maybe): string =>
    isKnown(value)
      ? `${(value / scale).toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: 0 })}${kThin}${name}`
      : kAbsent;

export const percent = (value: Maybe): string => (isKnown(value) ? `${Math.round(value)}${kThin}%` : kAbsent);
export { percentText as exactPercent };
export const celsius = unit('°C');
export const watts = unit('W', 0, 1000);
export const mhz = unit('MHz');

/** Binary, as nvidia-smi counts memory. */
export function memory(bytes: Maybe): string {
  if (!isKnown(bytes)) return kAbsent;
  if (Math.abs(bytes) >= 1024 * kGiB) return unit('TiB', 2, 1024 * kGiB)(bytes);
  if (Math.abs(bytes) >= kGiB) return unit('GiB', 1, kGiB)(bytes);
  return Math.abs(bytes) >= 2 ** 20 ? unit('MiB', 0, 2 ** 20)(bytes) : unit('B')(bytes);
}

/** "12.3 of 80 GiB" */
export function usedOf(used: Maybe, total: Maybe): string {
  if (!isKnown(total)) return memory(used);
  const number = isKnown(used) ? (used / kGiB).toFixed(1) : kAbsent;
  return `${number} / ${memory(total)}`;
}

export const powerOf = (now: Maybe, limit: Maybe): string =>
  isKnown(limit) ? `${isKnown(now) ? Math.round(now / 1000) : kAbsent} / ${watts(limit)}` : watts(now);

/** "12 s", "3 min", "2 h 5 min", "4 d 3 h" */
export function duration(seconds: Maybe): string {
  if (!isKnown(seconds)) return kAbsent;
  const { second, minute, hour, day } = texts.units;
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 100) return `${whole}${kThin}${second}`;
  const minutes = Math.round(whole / 60);
  if (minutes < 100) return `${minutes}${kThin}${minute}`;
  const hours = Math.floor(minutes / 60);
  const two = (a: number, x: string, b: number, y: string) => `${a}${kThin}${x}${b ? ` ${b}${kThin}${y}` : ''}`;
  return hours < 48 ? two(hours, hour, minutes % 60, minute) : two(Math.floor(hours / 24), day, hours % 24, hour);
}

const padded = (value: number): string => String(value).padStart(2, '0');
export const dayText = (at: Date): string => `${at.getFullYear()}-${padded(at.getMonth() + 1)}-${padded(at.getDate())}`;
export const clockText = (at: Date, seconds = true): string =>
  `${padded(at.getHours())}:${padded(at.getMinutes())}${seconds ? `:${padded(at.getSeconds())}` : ''}`;

/** "2026-11-22 14:03:11" in local time, of what the API calls a moment. */
export function moment(text: string | null | undefined): string {
  const at = new Date(text ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? kAbsent : `${dayText(at)} ${clockText(at)}`;
}

/** As moment(); of today only the time. */
export function shortMoment(text: string | null | undefined, today: Date): string {
  const whole = moment(text);
  return whole.startsWith(dayText(today)) ? whole.slice(11) : whole;
}

/** Seconds since 1970 of a moment; null where it is none. */
export function secondsOf(text: string | null | undefined): number | null {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? null : at / 1000;
}

/** "Europe/Istanbul, UTC+03:00" */
export function zoneText(at: Date): string {
  const minutes = -at.getTimezoneOffset();
  const size = Math.abs(minutes);
  const offset = `UTC${minutes < 0 ? '−' : '+'}${padded(Math.floor(size / 60))}:${padded(size % 60)}`;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone && zone !== 'UTC' ? `${zone}, ${offset}` : offset;
}

/** "GPU-1a2b3c4d…" */
export const shortUuid = (uuid: string): string => (uuid.length > 13 ? `${uuid.slice(0, 12)}…` : uuid);
