import './charts.css';
import type { Kernels, Modules } from '../data/format.ts';
import type { Report } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';
import { KernelBars } from './kernel_bars.tsx';
import { KernelTable } from './kernel_table.tsx';
import { RooflineSection } from './roofline_chart.tsx';
import { Absent, present, Sides, WhenLoaded } from './sides.tsx';
import { TransferSection } from './transfer_chart.tsx';
import { useSections, type Side } from './use_sections.ts';

/** What ran on the GPUs, how much of it, and how near it comes to what they can do. */
export function KernelsView({ report, navigation }: { report: Report; navigation: Navigation }) {
  const kernels = useSections(report, 'kernels');
  const modules = useSections(report, 'modules');
  return (
    <div class="sonde-view">
      <WhenLoaded loaded={kernels}>{(sides) => <LoadedKernels sides={sides} navigation={navigation} />}</WhenLoaded>
      <WhenLoaded loaded={modules}>{(sides) => <LoadedTransfer sides={sides} navigation={navigation} />}</WhenLoaded>
      <WhenLoaded loaded={kernels}>
        {(sides) => (
          <Sides sides={present(sides)} stacked>
            {({ profile, data }) => <KernelTable profile={profile} kernels={data} navigation={navigation} />}
          </Sides>
        )}
      </WhenLoaded>
    </div>
  );
}

function LoadedKernels({ sides, navigation }: { sides: readonly Side<Kernels>[]; navigation: Navigation }) {
  const there = present(sides);
  return (
    <>
      <Absent sides={sides}>
        No kernels were recorded. Record them with sonde record or nsys profile -t cuda, or with torch.profiler and
        ProfilerActivity.CUDA.
      </Absent>
      {there.length > 0 && (
        <>
          <KernelBars sides={there} navigation={navigation} />
          <RooflineSection sides={there} navigation={navigation} />
        </>
      )}
    </>
  );
}

function LoadedTransfer({ sides, navigation }: { sides: readonly Side<Modules>[]; navigation: Navigation }) {
  return <TransferSection sides={present(sides)} navigation={navigation} />;
}
