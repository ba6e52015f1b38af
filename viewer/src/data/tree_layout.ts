// Positions of a tree of boxes, drawn like the grain graph, with the same lengths: a box, below it what it forks, side
// by side and symmetric, each group between a fork and a join. Two passes over arrays, up for sizes and down for
// places; no recursion, so that a chain a million deep is no different.
//
// This is no second src/report/layout/layout.h. That one places a graph, once, when the page is made: tasks that outlive who
// made them, teams, dependences. The trees here are made while the page is looked at, by what its reader collapses, and
// have nothing of all this.

import { Edges, kNone, NodeKind, Nodes } from "./model";
import type { Lengths } from "./page";
import type { Extent } from "./scene";

export interface Tree {
  count: number;
  parent: Uint32Array; // smaller than the own index, or kNone
  key: Float64Array; // children of one parent that follow each other with the same key are one group
  weight: Float64Array; // ns
  members: Uint32Array; // grains in the box
  critical: Uint8Array;
  waits: boolean; // groups are joined; else only forked
}

interface Placed {
  nodes: Nodes;
  edges: Edges;
  extent: Extent;
  unitsPerPixel: number;
  nodeOf: Uint32Array; // by item
  forkOf: Uint32Array; // by node: the item that a fork or join belongs to; kNone: it is an item's box
}

const kUnits = 4; // a pixel at natural size: places are whole numbers

// Of a box: its width, and its height by its time.
type Shape = Pick<Lengths, "box" | "floor" | "linear" | "octave">;
const kSumShape: Shape = { box: 120, floor: 44, linear: 60, octave: 12 }; // few: with room for words

function heights(tree: Tree, shape: Shape): Int32Array {
  const times = tree.weight.filter((w) => w > 0).sort();
  const linear = times.length > 0 ? times[Math.min(times.length - 1, Math.floor((times.length * 19) / 20))] : 1;
  return Int32Array.from(tree.weight, (w) => {
    const r = w / linear;
    const span = r <= 1 ? shape.linear * r : shape.linear + shape.octave * Math.log2(r);
    return shape.floor * kUnits + Math.round(span * kUnits);
  });
}

export function layoutTree(tree: Tree, lengths: Lengths): Placed {
  const n = tree.count;
  const shape: Shape = tree.waits ? lengths : kSumShape;
  const box = shape.box * kUnits;
  const round = lengths.round * kUnits;
  const fan = lengths.fan * kUnits;
  const margin = lengths.margin * kUnits;
  const height = heights(tree, shape);
  const next = new Uint32Array(n).fill(kNone); // sibling
  const head = new Uint32Array(n).fill(kNone);
  for (let i = n - 1; i >= 0; i--) {
    const up = tree.parent[i];
    if (up === kNone) continue;
    next[i] = head[up];
    head[up] = i;
  }
  // A group: children first .. before `end`, their number and width together.
  const group = { first: kNone, end: kNone, size: 0, width: 0 };
  const wide = new Float64Array(n); // of the subtree
  const tall = new Float64Array(n);
  const nodesIn = new Uint32Array(n);
  const take = (first: number): typeof group => {
    group.first = first;
    group.size = group.width = 0;
    let c = first;
    for (; c !== kNone && tree.key[c] === tree.key[first]; c = next[c]) {
      group.size++;
      group.width += wide[c];
    }
    group.end = c;
    return group;
  };
  const forked = (g: typeof group) => g.size > 1;
  let edges = 0;
  for (let i = n - 1; i >= 0; i--) {
    let width = box + 2 * margin;
    let y = height[i];
    let nodes = 1;
    for (let c = head[i]; c !== kNone; ) {
      const g = take(c);
      const top = y + (forked(g) ? fan + round + fan : fan);
      y = top;
      for (let k = c; k !== g.end; k = next[k]) {
        y = Math.max(y, top + tall[k]);
        nodes += nodesIn[k];
      }
      edges += 2 * g.size + 1;
      if (forked(g)) nodes++;
      if (forked(g) && tree.waits) {
        y += fan + round;
        nodes++;
      }
      width = Math.max(width, g.width);
      c = g.end;
    }
    wide[i] = width;
    tall[i] = y;
    nodesIn[i] = nodes;
  }

  let count = 0;
  let across = 0;
  let deepest = 0;
  for (let i = 0; i < n; i++)
    if (tree.parent[i] === kNone) {
      count += nodesIn[i];
      across += wide[i];
      deepest = Math.max(deepest, tall[i]);
    }
  const scale = Math.max(1, Math.ceil(Math.max(across, deepest) / 2147483000));
  const out = makeNodes(count);
  const link = new EdgeList(edges, out);
  const nodeOf = new Uint32Array(n);
  const fork = new Uint32Array(n).fill(kNone); // node that an item hangs below, and the one that waits for it
  const join = new Uint32Array(n).fill(kNone);
  // Ends of columns: a node, or -1 - item for where that item's column ends.
  const above = new Int32Array(n); // of a child that stands alone: what it follows
  const ending = new Int32Array(n);
  const groups: { from: number; to: number; item: number }[] = []; // a column leads into a fork
  const forkOf = new Uint32Array(count).fill(kNone);
  const x = new Float64Array(n);
  const y = new Float64Array(n);
  const base = new Uint32Array(n);
  const put = (at: number, kind: NodeKind, px: number, py: number, w: number, h: number, item: number) => {
    out.kind[at] = kind;
    out.x[at] = Math.round(px / scale);
    out.y[at] = Math.round(py / scale);
    out.width[at] = Math.max(1, Math.round(w / scale));
    out.height[at] = Math.max(1, Math.round(h / scale));
    out.critical[at] = tree.critical[item];
  };
  for (let i = 0, rootX = 0, rootAt = 0; i < n; i++) {
    if (tree.parent[i] === kNone) {
      x[i] = rootX + wide[i] / 2;
      base[i] = rootAt;
      rootX += wide[i];
      rootAt += nodesIn[i];
    }
    let at = base[i];
    nodeOf[i] = at;
    put(at, NodeKind.aggregate, x[i], y[i], box, height[i], i);
    out.weight[at] = tree.weight[i];
    out.members[at] = tree.members[i];
    at++;
    let bottom = y[i] + height[i];
    let end = nodeOf[i];
    for (let c = head[i]; c !== kNone; ) {
      const g = take(c);
      const several = forked(g);
      const top = bottom + (several ? fan + round + fan : fan);
      const forkAt = several ? at++ : kNone;
      if (several) {
        put(forkAt, NodeKind.fork, x[i], bottom + fan, round, round, i);
        forkOf[forkAt] = i;
        groups.push({ from: end, to: forkAt, item: i });
      }
      let left = x[i] - g.width / 2;
      bottom = top;
      for (let k = c; k !== g.end; k = next[k]) {
        x[k] = left + wide[k] / 2;
        y[k] = top;
        left += wide[k];
        fork[k] = forkAt;
        above[k] = end;
        base[k] = at;
        at += nodesIn[k];
        bottom = Math.max(bottom, top + tall[k]);
      }
      if (several && tree.waits) {
        for (let k = c; k !== g.end; k = next[k]) join[k] = at;
        put(at, NodeKind.join, x[i], bottom + fan, round, round, i);
        forkOf[at] = i;
        end = at++;
        bottom += fan + round;
      } else if (tree.waits) end = -1 - c;
      c = g.end;
    }
    ending[i] = end;
  }
  for (let i = n - 1; i >= 0; i--) if (ending[i] < 0) ending[i] = ending[-1 - ending[i]];
  const node = (end: number) => (end < 0 ? ending[-1 - end] : end);
  for (const g of groups) link.add(node(g.from), g.to, 2, 0, tree.critical[g.item]);
  for (let i = 0; i < n; i++) {
    if (tree.parent[i] === kNone) continue;
    if (fork[i] === kNone) link.add(node(above[i]), nodeOf[i], 0, 0, tree.critical[i]);
    else link.add(fork[i], nodeOf[i], 0, 1, tree.critical[i]);
    if (join[i] !== kNone) link.add(ending[i], join[i], 1, 2, tree.critical[i]);
  }
  for (let at = 0; at < count; at++) if (forkOf[at] !== kNone) out.members[at] = 1;
  const extent = { left: 0, right: Math.round(across / scale), top: 0, bottom: Math.round(deepest / scale) };
  return { nodes: out, edges: link.edges, extent, unitsPerPixel: kUnits / scale, nodeOf, forkOf };
}

function makeNodes(count: number): Nodes {
  const i32 = () => new Int32Array(count);
  const none = () => new Uint32Array(count).fill(kNone);
  return {
    count,
    kind: new Uint8Array(count),
    critical: new Uint8Array(count),
    grain: none(),
    source: none(),
    thread: none(),
    members: new Uint32Array(count),
    begin: new Float64Array(count).fill(-1),
    weight: new Float64Array(count),
    x: i32(),
    y: i32(),
    width: i32(),
    height: i32(),
  };
}

class EdgeList {
  readonly edges: Edges;
  constructor(
    capacity: number,
    private readonly nodes: Nodes,
  ) {
    const u8 = () => new Uint8Array(capacity);
    this.edges = {
      count: 0,
      kind: u8(),
      critical: u8(),
      from: new Uint32Array(capacity),
      to: new Uint32Array(capacity),
      route: u8(),
    };
  }
  // kind: EdgeKind, route: Route, unless both are in one column.
  add(from: number, to: number, kind: number, route: number, critical: number): void {
    const { x } = this.nodes;
    const e = this.edges;
    const m = e.count++;
    e.from[m] = from;
    e.to[m] = to;
    e.kind[m] = kind;
    e.route[m] = x[from] === x[to] ? 0 : route;
    e.critical[m] = critical;
  }
}
