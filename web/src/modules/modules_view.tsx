import './modules.css';
import '../charts/charts.css';
import { useMemo, useState } from 'preact/hooks';
import { ChartFrame, SearchField, Select } from '../charts/chart_frame.tsx';
import { Absent, present, Sides, WhenLoaded } from '../charts/sides.tsx';
import { useSections, type Side } from '../charts/use_sections.ts';
import type { Modules } from '../data/format.ts';
import type { Profile, Report } from '../data/report.ts';
import type { Navigation } from '../navigation.ts';
import { DataTable } from '../tables/data_table.tsx';
import { counted, percentText } from '../text/units.ts';
import { Breadcrumb } from './breadcrumb.tsx';
import { FlameChart, type FlameWords } from './flame_chart.tsx';
import type { FlameOrder } from './flame_layout.ts';
import { factsOf } from './module_facts.ts';
import { moduleColumns } from './module_columns.ts';
import {
  firstWeight,
  hasGpuWork,
  keyOf,
  kWeights,
  matchesOf,
  rowAtPath,
  rowsAbove,
  treeOf,
  weightOfRows,
  widthOf,
  widthsOf,
  type ModuleTree,
  type Weight,
  type Widths,
} from './module_tree.ts';
import { ModuleWorkView } from './module_work_view.tsx';
import { RankSpread } from './rank_spread.tsx';

export interface ViewProps {
  report: Report;
  navigation: Navigation;
}

/** Which part of the model costs the time. */
export function ModulesView({ report, navigation }: ViewProps) {
  return (
    <WhenLoaded loaded={useSections(report, 'modules')}>
      {(sides) => <LoadedModules {...{ report, sides, navigation }} />}
    </WhenLoaded>
  );
}

function LoadedModules(props: ViewProps & { sides: readonly Side<Modules>[] }) {
  const { report, sides, navigation } = props;
  const [exact, setExact] = useState(false);
  const exactly = useSections(report, 'modules_exact');
  const apart = exactly.state === 'there' ? present(exactly.sides) : [];
  // Of a comparison both sides or none: names of one are looked for in the other.
  const canBeExact = apart.length > 0 && apart.length === present(sides).length;
  const there = exact && canBeExact ? apart : present(sides);
  return (
    <div class="sonde-view">
      {canBeExact && (
        <label class="sonde-exact" title="Show names that differ only by a number apart">
          <input type="checkbox" checked={exact} onChange={(event) => setExact(event.currentTarget.checked)} /> Exact
          names
        </label>
      )}
      <Absent sides={sides}>
        No ranges were recorded, so there are no modules. Name the parts of the program with NVTX ranges (in PyTorch
        torch.autograd.profiler.emit_nvtx) and record with sonde record or nsys profile -t cuda,nvtx, or with
        torch.profiler and with_modules=True.
      </Absent>
      {there.length > 0 && (
        <>
          <FlameSection sides={there} />
          <ModuleWorkView report={report} modules={there} exact={exact && canBeExact} />
          <Sides sides={there.filter(({ data }) => ranksOf(data) > 1)}>
            {({ profile, data }) => <RankSpread modules={data} ranks={profile.document.timeline.ranks} />}
          </Sides>
          <Sides sides={there} stacked>
            {({ profile, data }) => <ModuleTable profile={profile} modules={data} navigation={navigation} />}
          </Sides>
        </>
      )}
    </div>
  );
}

const ranksOf = (modules: Modules): number => modules.device_by_rank_ns?.length ?? 1;

interface FlameSide {
  profile: Profile;
  tree: ModuleTree;
  widths: Widths;
}

/** The flame charts of all profiles: one choice of weight, place and search, and one scale. */
function FlameSection({ sides }: { sides: readonly { profile: Profile; data: Modules }[] }) {
  const [key, setKey] = useState(() => firstWeight(sides.map(({ data }) => data)).key);
  const [order, setOrder] = useState<FlameOrder>('time');
  const [path, setPath] = useState<readonly string[]>([]);
  const [text, setText] = useState('');
  const trees = useMemo(() => sides.map(({ data }) => treeOf(data)), [sides]);
  const weight = kWeights.find((one) => one.key === key)!;
  const flames = useMemo(
    () => sides.map(({ profile }, i): FlameSide => ({ profile, tree: trees[i]!, widths: widthsOf(trees[i]!, weight) })),
    [sides, trees, weight],
  );
  const shown = Math.max(...flames.map(({ tree, widths }) => widthOfPath(tree, widths, path)));
  const controls = (
    <>
      <Select label="Width" choices={kWeights} value={key} onChoose={setKey} />
      <Select label="Order" choices={kOrders} value={order} onChoose={(chosen) => setOrder(chosen as FlameOrder)} />
      <SearchField value={text} onSearch={setText} />
    </>
  );
  return (
    <ChartFrame title={`Modules by ${weight.title}`} controls={controls}>
      <Sides sides={flames}>{(side) => <Flame {...side} {...{ weight, order, path, setPath, text, shown }} />}</Sides>
      <p class="sonde-muted sonde-hint">
        Arrow keys select the parent, a child or a neighbor; Enter zooms in, Escape zooms out. The width of a module
        includes the modules inside it. Hatched blocks are modules narrower than a pixel. Modules with the same name
        have the same shade.
      </p>
    </ChartFrame>
  );
}

const kWords: FlameWords = { one: 'module', all: 'all modules', outside: 'outside any module' };

const kOrders = [
  { key: 'time', title: 'first call' },
  { key: 'weight', title: 'widest first' },
];

function widthOfPath(tree: ModuleTree, widths: Widths, path: readonly string[]): number {
  const row = rowAtPath(tree, path);
  return row === null ? 0 : widthOf(widths, row);
}

interface FlameProps extends FlameSide {
  weight: Weight;
  order: FlameOrder;
  path: readonly string[];
  setPath: (path: readonly string[]) => void;
  text: string;
  shown: number;
}

function Flame({ tree, widths, weight, order, path, setPath, text, shown }: FlameProps) {
  const { modules } = tree;
  const matches = useMemo(() => matchesOf(modules, text), [modules, text]);
  const onZoom = useMemo(
    () => (row: number) => setPath(rowsAbove(modules, row).map((above) => keyOf(modules, above))),
    [modules, setPath],
  );
  const top = rowAtPath(tree, path);
  if (top === null)
    return (
      <p class="sonde-absent">
        This profile has no module with this name there. Press Escape or use the path to go back.
      </p>
    );
  if (!(widthOf(widths, top) > 0)) return <p class="sonde-absent">{`No ${weight.title} was recorded here.`}</p>;
  const says = saysOf(tree, widths, weight);
  return (
    <>
      <p class="sonde-caption">{matches ? foundText(tree, widths, weight, matches) : says}</p>
      <div>
        <Breadcrumb modules={modules} all={kWords.all} top={top} onZoom={onZoom} />
        <FlameChart
          {...{ tree, widths, weight, order, top, shown, matches, onZoom }}
          words={kWords}
          facts={(row) => factsOf(modules, row)}
          summary={`Modules by ${weight.title}. ${says}`}
        />
      </div>
    </>
  );
}

function saysOf({ modules }: ModuleTree, widths: Widths, weight: Weight): string {
  const percent = (value: number) => percentText((100 * value) / widths.whole);
  const parts = `${counted(modules.name.length, 'module')}; the whole width is ${weight.text(widths.whole)} of ${weight.title}`;
  return widths.outside > 0 ? `${parts}, of which ${percent(widths.outside)} is outside any module.` : `${parts}.`;
}

function foundText(tree: ModuleTree, widths: Widths, weight: Weight, matches: ReadonlySet<number>): string {
  const share = percentText((100 * weightOfRows(tree, widths, matches)) / widths.whole);
  return `${counted(matches.size, 'module')} found, with ${share} of ${weight.title}.`;
}

function ModuleTable(props: { profile: Profile; modules: Modules; navigation: Navigation }) {
  const { profile, modules, navigation } = props;
  const columns = useMemo(() => moduleColumns(modules, profile.document.timeline.ranks), [modules, profile]);
  const show = (row: number) =>
    navigation.showOnTimeline({
      profile: profile.index,
      start_ns: modules.longest_start_ns[row]!,
      end_ns: modules.longest_end_ns[row]!,
      what: modules.name[row],
    });
  return (
    <DataTable
      caption="Modules"
      columns={columns}
      sort={{
        column: columns.findIndex(({ name }) => name === (hasGpuWork(modules) ? 'GPU time' : 'Host')),
        descending: true,
      }}
      onRow={show}
      rowAction="Show the longest call on the timeline"
      note={`${hasGpuWork(modules) ? kSharesNote : kHostNote}${modules.measured ? ` ${modules.measured.says}` : ''}`}
    />
  );
}

const kHostNote = 'No GPU work was recorded. Host includes submodules; Host self does not.';

const kSharesNote =
  'Time in which several operations of a GPU run is divided among them, so GPU self of all modules plus the time outside any module is the busy time. All other columns include submodules.';
