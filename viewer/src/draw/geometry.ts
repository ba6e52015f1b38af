// Rectangles of nodes and line segments of edges, from the positions that the tool computed. Nothing is laid out here.
import type { Boxes, Edges } from "../data/model";
import type { Rects } from "./blocks";

export function nodeRects(nodes: Boxes): Rects {
  const n = nodes.count;
  const rects = {
    count: n,
    left: new Int32Array(n),
    right: new Int32Array(n),
    top: nodes.y,
    bottom: new Int32Array(n),
  };
  for (let i = 0; i < n; i++) {
    rects.left[i] = nodes.x[i] - (nodes.width[i] >> 1);
    rects.right[i] = rects.left[i] + nodes.width[i];
    rects.bottom[i] = nodes.y[i] + nodes.height[i];
  }
  return rects;
}

// Axis-parallel lines: left == right or top == bottom.
export interface Segments extends Rects {
  kind: Uint8Array; // of the edge: creation, join, continuation, dependence
}

const enum Route {
  straight,
  outOfFork,
  intoJoin,
  dependence,
}
const kJoin = 2; // NodeKind.join
const kDependence = 3; // EdgeKind.dependence

// In the picture's units.
export interface EdgeLengths {
  run: number; // from a join, or what another depends on, down to the horizontal part of the edge below it
  aside: number; // of a dependence's vertical parts from the columns' middles
}

// Height of the horizontal part of an edge: edge_route() of src/report/layout/layout.h says which kind of way it is, and why;
// the page is given that kind, as places for each edge would be most of its bytes.
function runOf(nodes: Boxes, route: number, from: number, to: number, lengths: EdgeLengths): number {
  if (route === Route.intoJoin) return nodes.y[to] + (nodes.height[to] >> 1);
  const bottom = nodes.y[from] + nodes.height[from];
  return nodes.kind[from] === kJoin ? bottom + lengths.run : nodes.y[from] + (nodes.height[from] >> 1);
}

class SegmentList {
  private at = 0;
  readonly out: Segments;
  constructor(capacity: number) {
    const array = () => new Int32Array(capacity);
    this.out = {
      count: 0,
      left: array(),
      right: array(),
      top: array(),
      bottom: array(),
      kind: new Uint8Array(capacity),
    };
  }
  add(x0: number, y0: number, x1: number, y1: number, kind: number): void {
    const { out } = this;
    out.left[this.at] = Math.min(x0, x1);
    out.right[this.at] = Math.max(x0, x1);
    out.top[this.at] = Math.min(y0, y1);
    out.bottom[this.at] = Math.max(y0, y1);
    out.kind[this.at] = kind;
    out.count = ++this.at;
  }
}

// Down from the first node, along below it, down to the second: not merged with others.
function addDependence(nodes: Boxes, from: number, to: number, lengths: EdgeLengths, list: SegmentList): void {
  const bottom = nodes.y[from] + nodes.height[from];
  const run = Math.min(bottom + lengths.run, nodes.y[to]);
  const x0 = nodes.x[from] + lengths.aside;
  const x1 = nodes.x[to] + lengths.aside;
  list.add(x0, bottom, x0, run, kDependence);
  list.add(x0, run, x1, run, kDependence);
  list.add(x1, run, x1, nodes.y[to], kDependence);
}

interface EdgeSegments {
  vertical: Segments;
  horizontal: Segments;
  dependence: Segments;
  critical: Segments;
}

// Vertical parts one per edge; horizontal parts merged, one per fork or join and side: a join of a million is one line.
export function edgeSegments(nodes: Boxes, edges: Edges, lengths: EdgeLengths): EdgeSegments {
  let dependences = 0;
  for (let e = 0; e < edges.count; e++) if (edges.route[e] === Route.dependence) dependences++;
  const vertical = new SegmentList(edges.count);
  const dependence = new SegmentList(3 * dependences);
  const leftOut = nodes.x.slice();
  const rightOut = nodes.x.slice();
  const leftIn = nodes.x.slice();
  const rightIn = nodes.x.slice();
  const outKind = new Uint8Array(nodes.count);
  let criticalEdges = 0;
  for (let e = 0; e < edges.count; e++) {
    const from = edges.from[e];
    const to = edges.to[e];
    const route = edges.route[e];
    const bottom = nodes.y[from] + nodes.height[from];
    criticalEdges += edges.critical[e];
    if (route === Route.dependence) {
      addDependence(nodes, from, to, lengths, dependence);
      continue;
    }
    if (route === Route.straight) {
      vertical.add(nodes.x[from], bottom, nodes.x[from], nodes.y[to], edges.kind[e]);
      continue;
    }
    const run = runOf(nodes, route, from, to, lengths);
    if (route === Route.outOfFork) {
      vertical.add(nodes.x[to], run, nodes.x[to], nodes.y[to], edges.kind[e]);
      outKind[from] = edges.kind[e];
      if (nodes.x[to] < leftOut[from]) leftOut[from] = nodes.x[to];
      if (nodes.x[to] > rightOut[from]) rightOut[from] = nodes.x[to];
    } else {
      vertical.add(nodes.x[from], bottom, nodes.x[from], run, edges.kind[e]);
      if (nodes.x[from] < leftIn[to]) leftIn[to] = nodes.x[from];
      if (nodes.x[from] > rightIn[to]) rightIn[to] = nodes.x[from];
    }
  }
  let lines = 0;
  for (let i = 0; i < nodes.count; i++) {
    if (leftOut[i] < rightOut[i]) lines += nodes.kind[i] === kJoin ? 2 : 1;
    if (leftIn[i] < rightIn[i]) lines++;
  }
  const horizontal = new SegmentList(lines);
  for (let i = 0; i < nodes.count; i++) {
    if (leftOut[i] < rightOut[i]) {
      const run = runOf(nodes, Route.outOfFork, i, i, lengths);
      horizontal.add(leftOut[i], run, rightOut[i], run, outKind[i]);
      if (nodes.kind[i] === kJoin)
        horizontal.add(nodes.x[i], nodes.y[i] + nodes.height[i], nodes.x[i], run, outKind[i]);
    }
    if (leftIn[i] < rightIn[i]) {
      const run = runOf(nodes, Route.intoJoin, i, i, lengths);
      horizontal.add(leftIn[i], run, rightIn[i], run, 1);
    }
  }
  return {
    vertical: vertical.out,
    horizontal: horizontal.out,
    dependence: dependence.out,
    critical: criticalSegments(nodes, edges, lengths, criticalEdges),
  };
}

// The critical path's edges, each whole: they are drawn on top and at every zoom.
function criticalSegments(nodes: Boxes, edges: Edges, lengths: EdgeLengths, count: number): Segments {
  const list = new SegmentList(count * 3);
  for (let e = 0; e < edges.count; e++) {
    if (!edges.critical[e]) continue;
    const from = edges.from[e];
    const to = edges.to[e];
    const route = edges.route[e];
    if (route === Route.dependence) {
      addDependence(nodes, from, to, lengths, list);
      continue;
    }
    const bottom = nodes.y[from] + nodes.height[from];
    if (route === Route.straight) {
      list.add(nodes.x[from], bottom, nodes.x[from], nodes.y[to], edges.kind[e]);
      continue;
    }
    const run = runOf(nodes, route, from, to, lengths);
    const column = route === Route.outOfFork ? nodes.x[to] : nodes.x[from];
    if (route === Route.intoJoin) list.add(column, bottom, column, run, edges.kind[e]);
    else if (run > bottom) list.add(nodes.x[from], bottom, nodes.x[from], run, edges.kind[e]);
    list.add(nodes.x[from], run, nodes.x[to], run, edges.kind[e]);
    if (route === Route.outOfFork) list.add(column, run, column, nodes.y[to], edges.kind[e]);
  }
  return list.out;
}
