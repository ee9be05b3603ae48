import './charts.css';
import { useMemo, useState } from 'preact/hooks';
import type { Kernels, Modules } from '../data/format.ts';
import type { Report } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';
import { shortKernelNames } from '../text/kernel_names.ts';
import { KernelBars } from './kernel_bars.tsx';
import { KernelTable, type ShownNames } from './kernel_table.tsx';
import { MeasuredLaunchesSection } from './measured_launches.tsx';
import { RooflineSection } from './roofline_chart.tsx';
import { Absent, present, Sides, WhenLoaded } from './sides.tsx';
import { TransferSection } from './transfer_chart.tsx';
import { useSections, type Side } from './use_sections.ts';

/** What ran on the GPUs, how much of it, and how near it comes to what they can do. */
export function KernelsView({ report, navigation }: { report: Report; navigation: Navigation }) {
  const kernels = useSections(report, 'kernels');
  const modules = useSections(report, 'modules');
  const launches = useSections(report, 'launches');
  const [exact, setExact] = useState(false);
  const names = useShownNames(kernels.state === 'there' ? kernels.sides : null, exact);
  return (
    <div class="sonde-view">
      <label class="sonde-switch no-print">
        <input type="checkbox" checked={exact} onChange={(event) => setExact(event.currentTarget.checked)} /> Exact
        names
      </label>
      <WhenLoaded loaded={kernels}>{(sides) => <LoadedKernels {...{ sides, names, navigation }} />}</WhenLoaded>
      <WhenLoaded loaded={modules}>{(sides) => <LoadedTransfer sides={sides} navigation={navigation} />}</WhenLoaded>
      <WhenLoaded loaded={launches}>
        {(sides) => (
          <Sides sides={present(sides)} stacked>
            {({ data }) => <MeasuredLaunchesSection data={data} />}
          </Sides>
        )}
      </WhenLoaded>
      <WhenLoaded loaded={kernels}>
        {(sides) => (
          <Sides sides={present(sides)} stacked>
            {({ profile, data }) => <KernelTable kernels={data} {...{ profile, names, navigation }} />}
          </Sides>
        )}
      </WhenLoaded>
    </div>
  );
}

const kNoNames: ShownNames = new Map();

/** Of all sides together, so that a kernel has one name in both. */
function useShownNames(sides: readonly Side<Kernels>[] | null, exact: boolean): ShownNames {
  const short = useMemo(() => shortKernelNames((sides ?? []).flatMap(({ data }) => data?.name ?? [])), [sides]);
  return exact ? kNoNames : short;
}

interface LoadedProps {
  sides: readonly Side<Kernels>[];
  names: ShownNames;
  navigation: Navigation;
}

function LoadedKernels({ sides, names, navigation }: LoadedProps) {
  const there = present(sides);
  return (
    <>
      <Absent sides={sides}>
        No kernels were recorded. Record them with sonde record or nsys profile -t cuda, or with torch.profiler and
        ProfilerActivity.CUDA.
      </Absent>
      {there.length > 0 && (
        <>
          <KernelBars sides={there} {...{ names, navigation }} />
          <RooflineSection sides={there} navigation={navigation} />
        </>
      )}
    </>
  );
}

function LoadedTransfer({ sides, navigation }: { sides: readonly Side<Modules>[]; navigation: Navigation }) {
  return <TransferSection sides={present(sides)} navigation={navigation} />;
}
