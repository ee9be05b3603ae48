import type { GroupNode, Node } from './layout.ts';

/** What a reader did to the rows: some on top, some left out, some in another order. Pure. */
export interface Arrangement {
  /** Keys of headings and tracks, in the order on top. */
  pinned: readonly string[];
  hidden: ReadonlySet<string>;
  /** Keys of rows that were moved: of two rows below one heading, the one with the smaller rank comes first. */
  ranks: ReadonlyMap<string, number>;
}

export const kAsRecorded: Arrangement = { pinned: [], hidden: new Set(), ranks: new Map() };
export const kPinned = '\n pinned';

export const isArranged = ({ pinned, hidden, ranks }: Arrangement): boolean =>
  pinned.length + hidden.size + ranks.size > 0;

/** All rows, headings before what is below them. */
export const allNodes = (nodes: readonly Node[]): Node[] =>
  nodes.flatMap((node) => [node, ...(node.type === 'group' ? allNodes(node.children) : [])]);

export const labelOf = (node: Node): string => (node.type === 'group' ? node.label : (node.label ?? node.track.label));

/** "GPU 0 › Stream 7": what a row on top needs to be known by. */
function pathTo(nodes: readonly Node[], key: string): string[] {
  for (const node of nodes) {
    if (node.key === key) return [labelOf(node)];
    const below = node.type === 'group' ? pathTo(node.children, key) : [];
    if (below.length > 0) return [labelOf(node), ...below];
  }
  return [];
}

const rankOf = (ranks: Arrangement['ranks'], nodes: readonly Node[], node: Node): number =>
  ranks.get(node.key) ?? nodes.indexOf(node);

/** Rows below one heading in the reader's order. */
export const inOrder = (nodes: readonly Node[], ranks: Arrangement['ranks']): Node[] =>
  [...nodes].sort((a, b) => rankOf(ranks, nodes, a) - rankOf(ranks, nodes, b));

function kept(nodes: readonly Node[], by: Arrangement, without: ReadonlySet<string>): Node[] {
  return inOrder(nodes, by.ranks).flatMap((node): Node[] => {
    if (by.hidden.has(node.key) || without.has(node.key)) return [];
    if (node.type === 'track') return [node];
    const children = kept(node.children, by, without);
    return children.length > 0 ? [{ ...node, children }] : [];
  });
}

/** The rows as they are shown; pinned ones below a heading of their own on top. */
export function arranged(nodes: readonly Node[], by: Arrangement): Node[] {
  if (!isArranged(by)) return [...nodes];
  const pinned = new Set(by.pinned);
  const known = new Map(allNodes(nodes).map((node) => [node.key, node]));
  const onTop = by.pinned.flatMap((key): Node[] => {
    const node = known.get(key);
    const [shown] = node ? kept([node], { ...by, hidden: without(by.hidden, key) }, without(pinned, key)) : [];
    return shown ? [{ ...shown, label: pathTo(nodes, key).join(' › ') }] : [];
  });
  const rest = kept(nodes, by, pinned);
  const group: GroupNode = { type: 'group', key: kPinned, label: 'Pinned', children: onTop };
  return onTop.length > 0 ? [group, ...rest] : rest;
}

function without(keys: ReadonlySet<string>, key: string): Set<string> {
  const others = new Set(keys);
  others.delete(key);
  return others;
}

export function withPin(by: Arrangement, key: string): Arrangement {
  const pinned = by.pinned.includes(key) ? by.pinned.filter((other) => other !== key) : [...by.pinned, key];
  return { ...by, pinned, hidden: without(by.hidden, key) };
}

export function withHidden(by: Arrangement, key: string): Arrangement {
  const hidden = by.hidden.has(key) ? without(by.hidden, key) : new Set([...by.hidden, key]);
  return { ...by, hidden, pinned: by.pinned.filter((other) => other !== key) };
}

/** Rows beside one another: those below one heading. */
export function siblingsOf(nodes: readonly Node[], key: string): readonly Node[] {
  if (nodes.some((node) => node.key === key)) return nodes;
  for (const node of nodes) {
    const found = node.type === 'group' ? siblingsOf(node.children, key) : [];
    if (found.length > 0) return found;
  }
  return [];
}

/** One place up (-1) or down (1): among the pinned rows, or among those below its heading. */
export function withMove(nodes: readonly Node[], by: Arrangement, key: string, way: -1 | 1): Arrangement {
  const at = by.pinned.indexOf(key);
  if (at >= 0) return { ...by, pinned: swapped(by.pinned, at, at + way) };
  const siblings = siblingsOf(nodes, key);
  const order = inOrder(siblings, by.ranks).map((node) => node.key);
  // Over what is not seen there.
  const seen = order.filter((other) => other === key || !(by.hidden.has(other) || by.pinned.includes(other)));
  const other = seen[seen.indexOf(key) + way];
  if (other === undefined) return by;
  const moved = swapped(order, order.indexOf(key), order.indexOf(other));
  return { ...by, ranks: new Map([...by.ranks, ...moved.map((one, rank) => [one, rank] as const)]) };
}

function swapped<T>(values: readonly T[], a: number, b: number): T[] {
  const next = [...values];
  if (a < 0 || b < 0 || a >= next.length || b >= next.length) return next;
  [next[a], next[b]] = [next[b]!, next[a]!];
  return next;
}

/** Shows a row again, with all above it. */
export function withShown(by: Arrangement, keys: readonly string[]): Arrangement {
  const hidden = new Set([...by.hidden].filter((key) => !keys.includes(key)));
  return hidden.size === by.hidden.size ? by : { ...by, hidden };
}
