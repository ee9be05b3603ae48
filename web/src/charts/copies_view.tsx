import './charts.css';
import { useMemo } from 'preact/hooks';
import type { Copies } from '../data/format.ts';
import type { Profile, Report } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';
import { DataTable, type DataColumn } from '../tables/data_table.tsx';
import { bytesText, counted, countText, kAbsent, percentText, rateText, timeText } from '../text/units.ts';
import type { Axis } from './axes.tsx';
import { ChartFrame } from './chart_frame.tsx';
import { CopySums } from './copy_sums.tsx';
import { bandwidthOf, hostMemoryOf, kShapes, shapeOf, sumsByDirection, sumsByMemory } from './copies.ts';
import { categoryEntries, Legend } from './legend.tsx';
import { logDomain } from './scale.ts';
import { Scatter, type ScatterPoint } from './scatter.tsx';
import { Absent, present, Sides, WhenLoaded } from './sides.tsx';
import { greatestOf, heaviest, kMostPoints, sumOf } from './thin.ts';
import { useSections, type Side } from './use_sections.ts';

interface CopySide {
  profile: Profile;
  data: Copies;
}

/** How fast copies were, and whether from pinned memory. */
export function CopiesView({ report, navigation }: { report: Report; navigation: Navigation }) {
  return (
    <WhenLoaded loaded={useSections(report, 'copies')}>
      {(sides) => <LoadedCopies sides={sides} navigation={navigation} />}
    </WhenLoaded>
  );
}

function LoadedCopies({ sides, navigation }: { sides: readonly Side<Copies>[]; navigation: Navigation }) {
  const there = present(sides);
  return (
    <div class="sonde-view">
      <Absent sides={sides}>
        No copies were recorded. Record them with sonde record or nsys profile -t cuda, or with torch.profiler and
        ProfilerActivity.CUDA. A program without copies between host and GPU has none.
      </Absent>
      {there.length > 0 && (
        <>
          <BandwidthChart sides={there} navigation={navigation} />
          <Sides sides={there}>
            {({ data }) => (
              <div class="sonde-scroll">
                <CopySums title="By direction" name="direction" sums={sumsByDirection(data)} coloured />
                <CopySums title="Between host and GPU, by host memory" name="host memory" sums={sumsByMemory(data)} />
              </div>
            )}
          </Sides>
          <Sides sides={there} stacked>
            {({ profile, data }) => <CopyTable profile={profile} copies={data} navigation={navigation} />}
          </Sides>
        </>
      )}
    </div>
  );
}

/** Rows that have a place in the chart. */
const drawable = (copies: Copies): number[] =>
  copies.count
    .map((_, row) => row)
    .filter((row) => (copies.bytes[row] ?? 0) > 0 && (bandwidthOf(copies, row) ?? 0) > 0);

function BandwidthChart({ sides, navigation }: { sides: readonly CopySide[]; navigation: Navigation }) {
  const rows = sides.map(({ data }) => drawable(data));
  const axes: { x: Axis; y: Axis } = {
    x: {
      label: 'copy size, bytes',
      log: true,
      domain: logDomain(sides.flatMap(({ data }, i) => rows[i]!.map((row) => data.bytes[row]!))),
      text: bytesText,
    },
    y: {
      label: 'achieved bandwidth, bytes/s',
      log: true,
      domain: logDomain(sides.flatMap(({ data }, i) => rows[i]!.map((row) => bandwidthOf(data, row)!))),
      text: rateText,
    },
  };
  const most = greatestOf(sides.flatMap(({ data }) => data.count));
  const legend = [
    ...categoryEntries(sides.flatMap(({ data }, i) => rows[i]!.map((row) => data.category[row]!))),
    ...kShapes.map(({ title, shape }) => ({ title, shape })),
  ];
  return (
    <ChartFrame title="Bandwidth by copy size" legend={<Legend entries={legend} />}>
      <Sides sides={sides.map((side, i) => ({ ...side, rows: rows[i]! }))}>
        {(side) => <BandwidthScatter {...side} {...{ axes, most, navigation }} />}
      </Sides>
    </ChartFrame>
  );
}

interface BandwidthScatterProps extends CopySide {
  rows: readonly number[];
  axes: { x: Axis; y: Axis };
  most: number;
  navigation: Navigation;
}

function BandwidthScatter({ profile, data, rows, axes, most, navigation }: BandwidthScatterProps) {
  if (rows.length === 0) return <p class="sonde-absent">No copy has both a size and a time.</p>;
  const kept = heaviest(
    rows.map((row) => data.total_ns[row]!),
    kMostPoints,
  )
    .map((index) => rows[index]!)
    .sort((a, b) => data.bytes[a]! - data.bytes[b]!);
  const points = kept.map((row): ScatterPoint => ({
    x: data.bytes[row]!,
    y: bandwidthOf(data, row)!,
    weight: data.count[row]!,
    category: data.category[row]!,
    name: '',
    shape: shapeOf(hostMemoryOf(data, row)),
  }));
  const says = [pageableText(data), missingText(data, rows.length, kept.length)].filter(Boolean).join(' ');
  return (
    <>
      <p class="sonde-caption">{says}</p>
      <Scatter
        summary={`Bandwidth over copy size, logarithmic axes. ${says}`}
        {...axes}
        points={points}
        heaviest={most}
        content={(index) => ({
          title: `${data.direction[kept[index]!]!}, ${data.place[kept[index]!]!}`,
          facts: factsOf(data, kept[index]!),
          action: 'Click or Enter: show the longest one on the timeline',
        })}
        onPoint={(index) => showCopy(navigation, profile, data, kept[index]!)}
      />
    </>
  );
}

function factsOf(copies: Copies, row: number): [string, string][] {
  return [
    ['size', bytesText(copies.bytes[row])],
    ['copies', countText(copies.count[row])],
    ['bandwidth', rateText(bandwidthOf(copies, row))],
    ['time', timeText(copies.total_ns[row])],
    ['shortest, longest', `${timeText(copies.minimum_ns[row])}, ${timeText(copies.maximum_ns[row])}`],
    ['from, to', `${copies.source[row] ?? kAbsent}, ${copies.destination[row] ?? kAbsent}`],
  ];
}

export function pageableText(copies: Copies): string {
  const whole = sumsByDirection(copies);
  const sums = sumsByMemory(copies);
  const bytes = sumOf(sums.map((sum) => sum.bytes));
  const count = sumOf(copies.count);
  const all = `${countText(count)} ${count === 1 ? 'copy moves' : 'copies move'} ${bytesText(sumOf(whole.map((sum) => sum.bytes)))} in ${timeText(sumOf(copies.total_ns))}.`;
  const pageable = sums.find((sum) => sum.title === 'pageable');
  if (bytes === 0) return all;
  if (!pageable) return `${all} No copy between host and GPU is known to use pageable memory.`;
  return `${all} ${percentText((100 * (pageable.bytes ?? 0)) / bytes)} of the bytes between host and GPU use pageable memory, at ${rateText(pageable.bytes_per_s)}.`;
}

function missingText(copies: Copies, drawable: number, drawn: number): string {
  const unsized = copies.count.length - drawable;
  const sentences = [
    unsized > 0 && `${counted(unsized, 'row')} without a size or a time ${unsized === 1 ? 'is' : 'are'} not drawn.`,
    drawn < drawable && `Drawn: ${countText(drawn)} of ${counted(drawable, 'row')}, those with the most time.`,
  ];
  return sentences.filter(Boolean).join(' ');
}

function showCopy(navigation: Navigation, profile: Profile, copies: Copies, row: number): void {
  navigation.showOnTimeline({
    profile: profile.index,
    start_ns: copies.longest_start_ns[row]!,
    end_ns: copies.longest_end_ns[row]!,
    place: copies.place[row],
  });
}

const copyColumns = (copies: Copies): DataColumn[] =>
  (
    [
      { name: 'Direction', unit: 'none', values: copies.direction },
      { name: 'GPU', unit: 'none', values: copies.place },
      { name: 'From', unit: 'none', values: copies.source },
      { name: 'To', unit: 'none', values: copies.destination },
      { name: 'Size', unit: 'bytes', values: copies.bytes },
      { name: 'Copies', unit: 'none', values: copies.count },
      { name: 'Time', unit: 'ns', values: copies.total_ns },
      { name: 'Min', unit: 'ns', values: copies.minimum_ns },
      { name: 'Max', unit: 'ns', values: copies.maximum_ns },
      {
        name: 'Bandwidth',
        unit: 'GB/s',
        decimals: 2,
        values: copies.count.map((_, row) => {
          const rate = bandwidthOf(copies, row);
          return rate === null ? null : rate / 1e9;
        }),
      },
    ] satisfies DataColumn[]
  ).filter(({ values }) => values.some((value) => value !== null));

function CopyTable(props: { profile: Profile; copies: Copies; navigation: Navigation }) {
  const { profile, copies, navigation } = props;
  const columns = useMemo(() => copyColumns(copies), [copies]);
  return (
    <DataTable
      caption="Copies by direction, size and memory"
      columns={columns}
      sort={{ column: columns.findIndex((column) => column.name === 'Time'), descending: true }}
      onRow={(row) => showCopy(navigation, profile, copies, row)}
      rowAction="Show the longest copy on the timeline"
    />
  );
}
