// The picture of a codelet graph: boxes in layers, from where control begins downwards, and the arcs between them. Few
// boxes, at most some dozens: what is drawn is condensed already, by class or by place in a procedure.
import type { CodeletGraph } from "./page";

interface Box {
  x: number; // of its left upper corner
  y: number;
}

interface ArcLine {
  path: string; // of SVG
  back: boolean; // it leads upwards, to where control has been before; or to itself
  x: number; // where its count stands
  y: number;
}

interface CodeletPicture {
  width: number;
  height: number;
  boxes: Box[];
  arcs: ArcLine[];
}

export const kBoxWidth = 190;
export const kBoxHeight = 66;
const kAcross = 70; // between boxes
const kDown = 64;
const kMargin = 24;
const kAside = 46; // room for what leads upwards, or past other boxes

// Arcs that lead to where a walk in depth has come from: without them there is no circle.
function backArcs(graph: CodeletGraph, out: number[][]): boolean[] {
  const back = graph.arcs.map(() => false);
  const state = new Uint8Array(graph.codelets.length); // 1 on the way, 2 done
  for (let first = 0; first < state.length; first++) {
    if (state[first]) continue;
    const way = [{ codelet: first, next: 0 }];
    state[first] = 1;
    while (way.length > 0) {
      const top = way[way.length - 1];
      if (top.next === out[top.codelet].length) {
        state[top.codelet] = 2;
        way.pop();
        continue;
      }
      const arc = out[top.codelet][top.next++];
      const to = graph.arcs[arc].to;
      if (state[to] === 1) back[arc] = true;
      else if (state[to] === 0) {
        state[to] = 1;
        way.push({ codelet: to, next: 0 });
      }
    }
  }
  return back;
}

// Each below all that lead to it.
function layersOf(graph: CodeletGraph, out: number[][], back: boolean[]): number[][] {
  const waits = graph.codelets.map(() => 0);
  const level = graph.codelets.map(() => 0);
  for (const [a, arc] of graph.arcs.entries()) if (!back[a]) waits[arc.to]++;
  const ready = waits.flatMap((n, c) => (n === 0 ? [c] : []));
  const layers: number[][] = [];
  for (let c = ready.shift(); c !== undefined; c = ready.shift()) {
    (layers[level[c]] ??= []).push(c);
    for (const a of out[c]) {
      if (back[a]) continue;
      const { to } = graph.arcs[a];
      level[to] = Math.max(level[to], level[c] + 1);
      if (--waits[to] === 0) ready.push(to);
    }
  }
  return layers;
}

// Within a layer by the middle of what leads there.
function order(graph: CodeletGraph, layers: number[][]): void {
  const place = graph.codelets.map(() => 0);
  for (const layer of layers) {
    const middle = new Map(
      layer.map((c) => {
        const from = graph.arcs.filter((a) => a.to === c && a.from !== c).map((a) => place[a.from]);
        return [c, from.length > 0 ? from.reduce((sum, x) => sum + x, 0) / from.length : 0];
      }),
    );
    layer.sort((a, b) => middle.get(a)! - middle.get(b)! || a - b);
    for (const [i, c] of layer.entries()) place[c] = i - (layer.length - 1) / 2;
  }
}

// left, right: of all boxes.
function lineOf(from: Box, to: Box, back: boolean, left: number, right: number): ArcLine {
  const x1 = from.x + kBoxWidth / 2;
  const x2 = to.x + kBoxWidth / 2;
  if (!back && to.y - from.y > kBoxHeight + kDown) {
    // Past the layers in between, on the left of them.
    const y1 = from.y + kBoxHeight / 2 + 8;
    const y2 = to.y + kBoxHeight / 2 - 8;
    const path = `M${from.x},${y1} C${left},${y1} ${left},${y2} ${to.x},${y2}`;
    return { path, back, x: (from.x + to.x) / 8 + (left * 3) / 4, y: (y1 + y2) / 2 };
  }
  if (!back) {
    const y1 = from.y + kBoxHeight;
    const bend = (to.y - y1) / 2;
    const path = `M${x1},${y1} C${x1},${y1 + bend} ${x2},${to.y - bend} ${x2},${to.y}`;
    return { path, back, x: (x1 + x2) / 2, y: y1 + bend };
  }
  // Around the right side of all between them.
  const y1 = from.y + kBoxHeight / 2 + 8;
  const y2 = to.y + kBoxHeight / 2 - 8;
  const out = from.x + kBoxWidth;
  const back2 = to.x + kBoxWidth;
  const path = `M${out},${y1} C${right},${y1} ${right},${y2} ${back2},${y2}`;
  return { path, back, x: (out + back2) / 8 + (right * 3) / 4, y: (y1 + y2) / 2 };
}

export function pictureOf(graph: CodeletGraph): CodeletPicture {
  const out: number[][] = graph.codelets.map(() => []);
  for (const [a, arc] of graph.arcs.entries()) out[arc.from].push(a);
  const back = backArcs(graph, out);
  const layers = layersOf(graph, out, back);
  order(graph, layers);
  const widest = Math.max(1, ...layers.map((layer) => layer.length));
  const inner = widest * kBoxWidth + (widest - 1) * kAcross;
  const boxes: Box[] = graph.codelets.map(() => ({ x: 0, y: 0 }));
  for (const [level, layer] of layers.entries()) {
    const row = layer.length * kBoxWidth + (layer.length - 1) * kAcross;
    for (const [i, c] of layer.entries())
      boxes[c] = {
        x: kMargin + kAside + (inner - row) / 2 + i * (kBoxWidth + kAcross),
        y: kMargin + level * (kBoxHeight + kDown),
      };
  }
  const right = kMargin + kAside + inner + kAside + kMargin;
  const arcs = graph.arcs.map(({ from, to }, a) => lineOf(boxes[from], boxes[to], back[a], 0, right));
  const height = 2 * kMargin + layers.length * kBoxHeight + Math.max(0, layers.length - 1) * kDown;
  return { width: right + kMargin, height, boxes, arcs };
}

// The graph of a source line: that of its class, or of its procedure. -1: none.
export function codeletGraphOf(graphs: CodeletGraph[], source: number): number {
  return graphs.findIndex((g) => g.source === source || g.codelets.some((c) => c.source === source));
}
