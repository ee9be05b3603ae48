import { valueMeanings } from 'sonde:values';
import { countText, kAbsent } from '../../text/units.ts';
import type { GpuValue } from '../api/types.ts';
import { celsius, isKnown, memory, mhz, watts } from './format.ts';
import { texts } from './texts.ts';

const kWords: Record<string, string> = {
  gpu: 'GPU',
  sm: 'SM',
  ecc: 'ECC',
  pcie: 'PCIe',
  pci: 'PCI',
  nvlink: 'NVLink',
  gpm: 'GPM',
  uuid: 'UUID',
  mig: 'MIG',
  dram: 'DRAM',
  sram: 'SRAM',
  bar1: 'BAR1',
  tx: 'TX',
  rx: 'RX',
  gsp: 'GSP',
  sw: 'SW',
  hw: 'HW',
  l1: 'L1',
  l2: 'L2',
  cbu: 'CBU',
  ofa: 'OFA',
  jpeg: 'JPEG',
  cuda: 'CUDA',
  id: 'id',
};

/** Units that names end in, with how such a value is written. */
const kUnits: [suffix: string, text: (value: number) => string][] = [
  ['_percent', (value) => `${value.toLocaleString('en-US', { maximumFractionDigits: 1 })}\u202f%`],
  ['_bytes', memory],
  ['_celsius', celsius],
  ['_milliwatts', watts],
  ['_mhz', mhz],
  ['_millijoules', (value) => `${(value / 3.6e9).toLocaleString('en-US', { maximumFractionDigits: 2 })}\u202fkWh`],
  ['_ns', (value) => `${(value / 1e9).toLocaleString('en-US', { maximumFractionDigits: 1 })}\u202fs`],
  ['_us', (value) => `${countText(value)}\u202fµs`],
  ['_kbytes_per_s', (value) => `${countText(Math.round(value / 1000))}\u202fMB/s`],
  ['_mib_per_s', (value) => `${value.toLocaleString('en-US', { maximumFractionDigits: 1 })}\u202fMiB/s`],
  ['_per_s', (value) => `${countText(value)}\u202f/s`],
];

const unitOf = (name: string) => kUnits.find(([suffix]) => name.endsWith(suffix));

/** "gpu_utilization_percent" -> "GPU utilization" */
export function valueTitle(name: string): string {
  const stem = name.slice(0, name.length - (unitOf(name)?.[0].length ?? 0));
  const words = stem.split('_').map((word) => kWords[word] ?? word);
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Numbers that name something, or are bit masks. */
const kPlain = /(_id|_bus|_domain|_device|_class|index|number|^compute_capability)$/;

function numberText(name: string, value: number): string {
  if (name === 'compute_capability') return `${Math.floor(value / 100)}.${value % 100}`;
  if (name.startsWith('clocks_event_reasons')) return `0x${value.toString(16).padStart(16, '0')}`;
  const unit = unitOf(name);
  if (unit) return unit[1](value);
  if (kPlain.test(name)) return String(value);
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** As a table shows it. */
export function valueText(name: string, value: GpuValue | undefined): string {
  if (value === null || value === undefined) return kAbsent;
  if (typeof value === 'boolean') return value ? texts.detail.yes : texts.detail.no;
  if (typeof value === 'string') return value === '' ? kAbsent : value;
  return isKnown(value) ? numberText(name, value) : kAbsent;
}

/** What the value is, in the words of the program's own table; empty where that has none. */
export const valueMeaning = (name: string): string => valueMeanings[name]?.meaning ?? '';
