import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { countText, kAbsent } from '../../text/units.ts';
import type { Gpu, MigDevice, NvLink } from '../api/types.ts';
import { memory, numberOf, usedOf } from '../text/format.ts';
import { texts } from '../text/texts.ts';
import { valueMeaning, valueText, valueTitle } from '../text/values.ts';
import { SearchField } from './gpus_view.tsx';
import { PlainTable } from './plain_table.tsx';

const isHealthValue = (name: string): boolean => /^(ecc|sram|remap|retired|remapped|recovery)/.test(name);

/** Rows of a table that the GPU gives a value for. */
function ValueRows({ gpu, names }: { gpu: Gpu; names: readonly string[] }) {
  return (
    <>
      {names.map((name) => (
        <tr key={name} title={name}>
          <th scope="row">{valueTitle(name)}</th>
          <td class="number">
            <bdi>{valueText(name, gpu.values[name])}</bdi>
          </td>
          <td class="muted meaning">{valueMeaning(name)}</td>
        </tr>
      ))}
    </>
  );
}

/** ECC, remapped rows, PCIe, NVLink and MIG: what tells that hardware fails. */
export function HardwareFacts({ gpu }: { gpu: Gpu }) {
  const known = Object.keys(gpu.values).filter((name) => gpu.values[name] !== null);
  const errors = known.filter(isHealthValue);
  const pcie = known.filter((name) => name.startsWith('pcie_') && !/^pcie_(generation|width|max|gpu_max)/.test(name));
  return (
    <section aria-labelledby="hardware-heading">
      <h3 id="hardware-heading">{texts.detail.health}</h3>
      <div class="facts">
        <Facts title={texts.detail.ecc}>
          <ValueTable gpu={gpu} names={errors} />
        </Facts>
        <Facts title={texts.detail.pcie}>
          <p>{pcieText(gpu)}</p>
          <ValueTable gpu={gpu} names={pcie} />
        </Facts>
        <Facts title={texts.detail.nvlink}>
          <NvLinks links={gpu.nvlinks} />
        </Facts>
        <Facts title={texts.detail.mig}>
          <MigDevices devices={gpu.mig_devices} />
        </Facts>
      </div>
    </section>
  );
}

function Facts({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="fact">
      <h4>{title}</h4>
      {children}
    </section>
  );
}

function pcieText(gpu: Gpu): string {
  const value = (name: string) => countText(numberOf(gpu.values[name]));
  if (numberOf(gpu.values['pcie_generation']) === null && numberOf(gpu.values['pcie_width']) === null) return kAbsent;
  return texts.detail.pcieNow(
    value('pcie_generation'),
    value('pcie_width'),
    `${value('pcie_max_generation')} × ${value('pcie_max_width')}`,
  );
}

function ValueTable({ gpu, names }: { gpu: Gpu; names: readonly string[] }) {
  if (names.length === 0) return <p class="muted">{kAbsent}</p>;
  return (
    <PlainTable class="values">
      <ValueRows gpu={gpu} names={names} />
    </PlainTable>
  );
}

function NvLinks({ links }: { links: readonly NvLink[] | null }) {
  if (!links || links.length === 0) return <p class="muted">{texts.detail.noNvlink}</p>;
  const { detail } = texts;
  const state = (active: boolean | null) => (active === null ? kAbsent : active ? detail.active : detail.inactive);
  return (
    <PlainTable heads={[detail.link, '', detail.speed, detail.replays, detail.recoveries, detail.crc]}>
      {links.map((link) => (
        <tr key={link.link}>
          <th scope="row">{link.link}</th>
          <td>{state(link.active)}</td>
          <td>{link.speed_mbytes_per_s === null ? kAbsent : `${countText(link.speed_mbytes_per_s)}\u202fMB/s`}</td>
          <td>{countText(link.replay_errors)}</td>
          <td>{countText(link.recovery_errors)}</td>
          <td>{countText(link.crc_errors)}</td>
        </tr>
      ))}
    </PlainTable>
  );
}

function MigDevices({ devices }: { devices: readonly MigDevice[] | null }) {
  if (!devices || devices.length === 0) return <p class="muted">{texts.detail.noMig}</p>;
  const { detail } = texts;
  return (
    <PlainTable heads={[detail.migName, detail.migInstance, detail.migMemory, detail.migUuid]}>
      {devices.map((device) => (
        <tr key={device.uuid}>
          <td>
            <bdi>{device.name}</bdi>
          </td>
          <td>
            {device.gpu_instance ?? kAbsent}/{device.compute_instance ?? kAbsent}
          </td>
          <td>
            {device.memory_total_bytes === null
              ? memory(device.memory_used_bytes)
              : usedOf(device.memory_used_bytes, device.memory_total_bytes)}
          </td>
          <td>
            <code>{device.uuid}</code>
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}

/** Every value of the GPU by its name in the API, also those that it does not give. */
export function AllValues({ gpu }: { gpu: Gpu }) {
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLowerCase();
  const names = Object.keys(gpu.values).filter((name) =>
    `${name}\n${valueTitle(name)}\n${valueMeaning(name)}`.toLowerCase().includes(wanted),
  );
  return (
    <details class="all-values">
      <summary>{texts.detail.allValues}</summary>
      <SearchField label={texts.detail.allValues} text={filter} onText={setFilter} />
      <PlainTable
        class="values"
        heads={[texts.detail.valueName, { title: texts.detail.valueNow, number: true }, texts.detail.valueMeaning]}
      >
        <ValueRows gpu={gpu} names={names} />
      </PlainTable>
    </details>
  );
}
