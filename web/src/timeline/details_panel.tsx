import { useEffect, useState } from 'preact/hooks';
import type { Detail } from '../data/format.ts';
import type { Slices } from '../data/slices.ts';
import { kCategories } from '../theme/colours.ts';
import { bytesText, counted, momentText, percentText, rateText, timeText } from '../text/units.ts';
import { detailText } from './detail_text.ts';
import { launchedWork, launchingCall } from './launches.ts';
import { density } from './row_index.ts';
import { kNoName, nameOf, type SliceRef, type TimelineModel } from './timeline_model.ts';
import type { LoadedSlices } from './track_store.ts';

interface Linked {
  ref: SliceRef;
  loaded: LoadedSlices;
}

interface Links {
  call: Linked | null;
  work: Linked[];
}

const kNoLinks: Links = { call: null, work: [] };
/** A graph launch can have thousands. */
const kMostWork = 50;

async function withData(model: TimelineModel, refs: readonly SliceRef[]): Promise<Linked[]> {
  const found = await Promise.all(refs.map(async (ref) => ({ ref, loaded: await model.store.slices(ref) })));
  return found.filter((link): link is Linked => link.loaded !== null);
}

/** Kinds of which some slices launch GPU work. */
const canLaunch = ({ track }: SliceRef): boolean => track.kind === 'api' || track.kind === 'library';

async function linksOf(model: TimelineModel, ref: SliceRef, loaded: LoadedSlices): Promise<Links> {
  const call = launchingCall(model, ref, loaded.slices);
  const work = canLaunch(ref) ? await launchedWork(model, ref) : [];
  return { call: (await withData(model, call ? [call] : []))[0] ?? null, work: await withData(model, work) };
}

export interface DetailsPanelProps {
  model: TimelineModel;
  selected: SliceRef;
  loaded: LoadedSlices;
  /** What arrows are drawn between. */
  onLinks: (arrows: { from: SliceRef; to: SliceRef }[]) => void;
}

/** All that is known of the selected slice. */
export function DetailsPanel({ model, selected, loaded, onLinks }: DetailsPanelProps) {
  const [links, setLinks] = useState(kNoLinks);
  const [details, setDetails] = useState<Detail>([]);
  useEffect(() => {
    let wanted = true;
    setLinks(kNoLinks);
    setDetails([]);
    onLinks([]);
    void linksOf(model, selected, loaded).then((found) => {
      if (!wanted) return;
      setLinks(found);
      const from = found.call ? [{ from: found.call.ref, to: selected }] : [];
      onLinks([...from, ...found.work.slice(0, kMostWork).map(({ ref }) => ({ from: selected, to: ref }))]);
    });
    void detailsOf(model, selected, loaded).then((found) => wanted && setDetails(found));
    return () => {
      wanted = false;
      onLinks([]);
    };
  }, [selected]);
  return (
    <div class="tl-details">
      <h3>
        <bdi>{nameOf(selected, loaded) || kNoName}</bdi>
      </h3>
      <dl>
        <Facts model={model} selected={selected} loaded={loaded} />
        {details.map((detail) => {
          const [name, value] = detailText(...detail);
          return (
            <Fact key={name} name={name} value={name === 'bytes' ? sizeText(value, loaded.slices, selected) : value} />
          );
        })}
        {links.call && <CallFacts model={model} selected={selected} loaded={loaded} call={links.call} />}
        {links.work.length > 0 && <WorkFacts model={model} selected={selected} loaded={loaded} work={links.work} />}
      </dl>
    </div>
  );
}

/** "2.88 MB, 8.96 GB/s" */
function sizeText(bytes: string, { start, end }: Slices, { slice }: SliceRef): string {
  const length = end[slice]! - start[slice]!;
  const rate = length > 0 ? `, ${rateText((Number(bytes) / length) * 1e9)}` : '';
  return `${bytesText(Number(bytes))}${rate}`;
}

async function detailsOf(model: TimelineModel, { profile, track, slice }: SliceRef, { slices }: LoadedSlices) {
  const index = slices.detail?.[slice] ?? -1;
  if (index < 0) return [];
  const details = await model.report.profiles[profile]!.details(track);
  return details[index] ?? [];
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>
        <bdi>{name}</bdi>
      </dt>
      <dd>
        <bdi>{value}</bdi>
      </dd>
    </div>
  );
}

function Facts({ model, selected, loaded }: { model: TimelineModel; selected: SliceRef; loaded: LoadedSlices }) {
  const { start, end } = model.spanOf(selected, loaded);
  const { slices } = loaded;
  const [, category] = selected.track.names[slices.name[selected.slice]!]!;
  const merged = slices.merged?.get(selected.slice);
  return (
    <>
      <Fact name="kind" value={kCategories[category].title} />
      <Fact name="track" value={[...selected.track.path, selected.track.label].join(' › ')} />
      <Fact name="start" value={momentText(start, Math.min(1e6, Math.max(1000, end - start)))} />
      <Fact name="duration" value={timeText(end - start)} />
      {merged && (
        <>
          <Fact name="merged" value={`${counted(merged.count, 'event')}, mostly this one; merged in this report`} />
          <Fact
            name="busy"
            value={`${timeText(merged.busy_ns)} (${percentText(100 * density(slices, selected.slice))})`}
          />
        </>
      )}
    </>
  );
}

function CallFacts({ model, selected, loaded, call }: DetailsProps & { call: Linked }) {
  const from = model.spanOf(call.ref, call.loaded);
  const queued = model.spanOf(selected, loaded).start - from.start;
  const says = `${nameOf(call.ref, call.loaded)}, ${timeText(from.end - from.start)}, ${queuedText(queued)}`;
  return <Link name="launched by" says={says} go={() => model.goTo(call.ref, call.loaded, performance.now())} />;
}

interface DetailsProps {
  model: TimelineModel;
  selected: SliceRef;
  loaded: LoadedSlices;
}

/** From the beginning of the call to the beginning of the work. */
const queuedText = (ns: number): string =>
  ns >= 0 ? `queued for ${timeText(ns)}` : `started ${timeText(-ns)} before the call`;

function WorkFacts({ model, selected, loaded, work }: DetailsProps & { work: Linked[] }) {
  const { start } = model.spanOf(selected, loaded);
  return (
    <>
      {work.slice(0, kMostWork).map(({ ref, loaded: other }) => {
        const span = model.spanOf(ref, other);
        const says = `${nameOf(ref, other)}, ${timeText(span.end - span.start)}, ${queuedText(span.start - start)}`;
        return (
          <Link
            key={`${ref.track.id}/${ref.slice}`}
            name="launched"
            says={says}
            go={() => model.goTo(ref, other, performance.now())}
          />
        );
      })}
      {work.length > kMostWork && <Fact name="" value={`and ${counted(work.length - kMostWork, 'more')}`} />}
    </>
  );
}

function Link({ name, says, go }: { name: string; says: string; go: () => void }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi>{says}</bdi>{' '}
        <button type="button" onClick={go}>
          Go there
        </button>
      </dd>
    </div>
  );
}
