import type { ProfileDocument, Track, TrackKind } from '../data/format.ts';
import { counted } from '../text/units.ts';

/** Tracks below one another: headings that fold, rows, and where they stand. Pure; y in CSS pixels. */

export interface TrackRef {
  profile: number;
  track: Track;
}

export interface TrackNode extends TrackRef {
  type: 'track';
  key: string;
  /** Instead of the track's. */
  label?: string;
}

export interface GroupNode {
  type: 'group';
  key: string;
  label: string;
  children: Node[];
}

export type Node = TrackNode | GroupNode;

interface Placed {
  key: string;
  depth: number;
  y: number;
  height: number;
}

export interface GroupItem extends Placed {
  type: 'group';
  label: string;
  open: boolean;
  tracks: TrackRef[];
  /** Shown in the heading's line while it is closed, one over the other. */
  summary: TrackRef[];
}

export interface TrackItem extends Placed, TrackRef {
  type: 'track';
  label: string;
  /** Rows that are shown, of those there are. */
  rows: number;
  rowHeight: number;
  foldable: boolean;
  open: boolean;
}

export type Item = GroupItem | TrackItem;

export interface Layout {
  items: Item[];
  height: number;
}

export const kHeadingHeight = 20;
export const kRowHeight = 17;
export const kCounterHeight = 34;
const kGapBelow = 3;

export const trackKey = (profile: number, track: Track): string => `${profile}/${track.id}`;

interface Heading {
  label: string;
  key: string;
}

/** PyTorch names some threads "thread 12 (python)": said once. */
const saidOnce = (heading: string): string => heading.replace(/^(\w+ \d+) \1(?=\D|$)/i, '$1');

/** From the outside. Keys hold profile and rank, so that "GPU 0" of two ranks are two headings. */
function headingsOf(profiles: readonly ProfileDocument[], p: number, track: Track): Heading[] {
  const { label, timeline } = profiles[p]!;
  const headings = profiles.length > 1 ? [{ label, key: `${p}` }] : [];
  const ofRank = timeline.ranks.length > 1 ? [timeline.ranks[track.rank] || `Rank ${track.rank}`] : [];
  let key = `${p}/${track.rank}`;
  const path = track.path[0] === ofRank[0] ? track.path.slice(1) : track.path;
  for (const text of [...ofRank, ...path]) headings.push({ label: saidOnce(text), key: (key += `/${text}`) });
  return headings;
}

/** A heading with nothing but one other heading below it takes that one in. */
function joined(node: Node): Node {
  if (node.type === 'track') return node;
  const children = node.children.map(joined);
  const only = children.length === 1 ? children[0]! : null;
  if (only?.type === 'group') return { ...only, label: `${node.label} › ${only.label}` };
  return { ...node, children };
}

/** Streams that a GPU shows at first. */
const kMostStreams = 20;
/** Not worth a heading of their own. */
const kFewMore = 4;

const isStream = (node: Node): node is TrackNode => node.type === 'track' && node.track.kind === 'gpu';

/** Of a GPU with very many streams those with little time stand below a heading of their own. */
function gathered(node: Node): Node {
  if (node.type === 'track') return node;
  const children = node.children.map(gathered);
  const streams = children.filter(isStream).sort((a, b) => b.track.total_ns - a.track.total_ns);
  const less = streams.slice(kMostStreams);
  if (less.length <= kFewMore) return { ...node, children };
  const shown = new Set<Node>(streams.slice(0, kMostStreams));
  const others = children.filter(isStream).filter((stream) => !shown.has(stream));
  const label = counted(others.length, 'more stream');
  const more: GroupNode = { type: 'group', key: `${node.key}${kMoreStreams}`, label, children: others };
  const last = children.findLastIndex((child) => shown.has(child));
  const kept = (child: Node) => !isStream(child) || shown.has(child);
  return {
    ...node,
    children: [...children.slice(0, last + 1).filter(kept), more, ...children.slice(last + 1).filter(kept)],
  };
}

/** Ends the key of such a heading: no recorded name holds it. */
const kMoreStreams = '\n more streams';

export function nodesOf(profiles: readonly ProfileDocument[]): Node[] {
  const top: Node[] = [];
  const groups = new Map<string, GroupNode>();
  profiles.forEach((profile, p) => {
    for (const track of profile.timeline.tracks) {
      let siblings = top;
      for (const { label, key } of headingsOf(profiles, p, track)) {
        let group = groups.get(key);
        if (!group) {
          group = { type: 'group', key, label, children: [] };
          groups.set(key, group);
          siblings.push(group);
        }
        siblings = group.children;
      }
      siblings.push({ type: 'track', key: trackKey(p, track), profile: p, track });
    }
  });
  return top.map(joined).map(gathered);
}

export const tracksOf = (node: Node): TrackRef[] =>
  node.type === 'track' ? [{ profile: node.profile, track: node.track }] : node.children.flatMap(tracksOf);

/** Kinds that say where a heading's work is, the best first. */
const kTelling: TrackKind[] = [
  'gpu',
  'api',
  'range',
  'library',
  'scheduling',
  'sample',
  'os',
  'mark',
  'overhead',
  'idle',
  'step',
];

/** Streams that a closed heading lays one over the other; of all else it shows the one with the most time. */
const kMostTogether = 24;

function summaryOf(tracks: TrackRef[]): TrackRef[] {
  for (const kind of kTelling) {
    const found = tracks.filter(({ track }) => track.kind === kind);
    if (found.length === 0) continue;
    const most = found.sort((a, b) => b.track.total_ns - a.track.total_ns);
    return kind === 'gpu' ? most.slice(0, kMostTogether).reverse() : most.slice(0, 1);
  }
  return [];
}

const launches = ({ track }: TrackRef): boolean => track.names.some(([, category]) => category === 'launch');
const ofGpuOrRun = ({ track }: TrackRef): boolean =>
  ['gpu', 'projection', 'idle', 'step', 'counter'].includes(track.kind);

/** What starts closed: threads that launch nothing, unless no thread does; deep ranges stay open. */
export function closedAtFirst(nodes: readonly Node[]): Set<string> {
  const closed = new Set<string>();
  const anyLaunches = nodes.some((node) => tracksOf(node).some(launches));
  const visit = (node: Node): void => {
    if (node.type === 'track') return;
    if (node.key.endsWith(kMoreStreams)) closed.add(node.key);
    const tracks = tracksOf(node);
    const ofThread = new Set(tracks.map(({ track }) => track.place)).size === 1 && !tracks.some(ofGpuOrRun);
    if (ofThread && anyLaunches && !tracks.some(launches)) closed.add(node.key);
    node.children.forEach(visit);
  };
  nodes.forEach(visit);
  closeIdleParents(nodes, closed);
  return closed;
}

/** A process all of whose threads are closed is closed itself. */
function closeIdleParents(nodes: readonly Node[], closed: Set<string>): void {
  for (const node of nodes) {
    if (node.type === 'track') continue;
    closeIdleParents(node.children, closed);
    if (node.children.length > 3 && node.children.every((child) => closed.has(child.key))) closed.add(node.key);
  }
}

function trackItem(node: TrackNode, depth: number, y: number, open: boolean): TrackItem {
  const { track, profile, key } = node;
  const foldable = track.rows.length > 1;
  const rows = open ? Math.max(1, track.rows.length) : 1;
  const rowHeight = track.kind === 'counter' ? kCounterHeight : kRowHeight;
  const height = rows * rowHeight + kGapBelow;
  return {
    type: 'track',
    key,
    profile,
    track,
    depth,
    y,
    height,
    label: node.label ?? track.label,
    rows,
    rowHeight,
    foldable,
    open,
  };
}

export function layoutOf(nodes: readonly Node[], closed: ReadonlySet<string>): Layout {
  const items: Item[] = [];
  let y = 0;
  const place = (node: Node, depth: number): void => {
    const open = !closed.has(node.key);
    if (node.type === 'track') {
      items.push(trackItem(node, depth, y, open));
    } else {
      const tracks = tracksOf(node);
      const summary = open ? [] : summaryOf(tracks);
      const { key, label } = node;
      items.push({ type: 'group', key, label, depth, y, height: kHeadingHeight, open, tracks, summary });
    }
    y += items.at(-1)!.height;
    if (node.type === 'group' && open) node.children.forEach((child) => place(child, depth + 1));
  };
  nodes.forEach((node) => place(node, 0));
  return { items, height: y };
}

/** Items that reach into [from, to): [begin, end). */
export function itemsBetween(layout: Layout, from: number, to: number): [number, number] {
  const { items } = layout;
  let begin = 0;
  let end = items.length;
  while (begin < end) {
    const middle = (begin + end) >>> 1;
    if (items[middle]!.y + items[middle]!.height <= from) begin = middle + 1;
    else end = middle;
  }
  while (end < items.length && items[end]!.y < to) ++end;
  return [begin, end];
}

/** Tracks of the items that [from, to) touches: a closed heading stands for all below it. */
export function tracksBetween(layout: Layout, from: number, to: number): TrackRef[] {
  const [begin, end] = itemsBetween(layout, from, to);
  const items = layout.items.slice(begin, end);
  return items.flatMap((item) => {
    if (item.type === 'track') return [{ profile: item.profile, track: item.track }];
    return item.open ? [] : item.tracks;
  });
}

/** Keys of the headings above a track, and its own: what must be open to see it. */
export function keysAbove(nodes: readonly Node[], key: string): string[] {
  for (const node of nodes) {
    if (node.key === key) return [key];
    const below = node.type === 'group' ? keysAbove(node.children, key) : [];
    if (below.length) return [node.key, ...below];
  }
  return [];
}

export const itemOf = (layout: Layout, key: string): Item | undefined => layout.items.find((item) => item.key === key);
