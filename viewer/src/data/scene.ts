// A picture of the recording: boxes, where they are, and which grains each stands for. The full graph, as the tool laid
// it out, is one; others stand for it by grain, by source line or by depth (forms.ts).
import { Edges, Index, kNone, Model, Nodes } from "./model";

export type Form = "nodes" | "grains" | "lines" | "depths";
export const kForms: Form[] = ["nodes", "grains", "lines", "depths"];
export const kFormNames: Record<Form, string> = {
  nodes: "every node",
  grains: "one box a grain",
  lines: "one box a source line",
  depths: "one box a depth",
};
export const kFormHovers: Record<Form, string> = {
  nodes: "The grain graph as it was recorded: each stretch of a task between forks and joins is a box.",
  grains:
    "All stretches of a grain as one box, all forks before a join as one, a thread's book-keeping with it, chunks side by side. Subtrees can be collapsed.",
  lines: "All grains of a source line as one box, with their sums: recursion folds into it.",
  depths: "All grains of a source line at one depth of the task tree as one box: where a recursion becomes too fine.",
};

export interface Extent {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Scene {
  form: Form;
  nodes: Nodes;
  edges: Edges;
  extent: Extent;
  unitsPerPixel: number;
  nodesOf: Index; // by grain
  grainsOf: Index | null; // by node, where a node stands for several; null: the one that it names
  closed: Uint8Array | null; // by grain: it is in the box of a collapsed subtree, as its root or below
  capped: number; // how many are below
}

export function fullScene(model: Model): Scene {
  const { layout } = model.meta;
  return {
    form: "nodes",
    nodes: model.nodes,
    edges: model.edges,
    extent: layout,
    unitsPerPixel: layout.units_per_pixel,
    nodesOf: model.nodesOf,
    grainsOf: null,
    closed: null,
    capped: 0,
  };
}

export type OpensAs = "graph" | "lines" | "timeline";

// What a page shows first. A graph that is much longer than a window, and so narrow that its few columns fill it, is a
// bar in the critical path's red: that of thousands of regions. Of a cut graph the timeline has all grains, the forms
// those that are drawn; a part of one was asked for.
export function opensAs({ meta }: Model): OpensAs {
  const { layout, graph } = meta;
  const width = (layout.right - layout.left) / layout.units_per_pixel;
  const height = (layout.bottom - layout.top) / layout.units_per_pixel;
  const bar = height > 24000 && height > 10 * width;
  return !bar || graph.part ? "graph" : graph.cut ? "timeline" : "lines";
}

// The grains of a node: none of a team's join.
export function grainsOfNode(scene: Scene, node: number): ArrayLike<number> {
  if (scene.grainsOf) return scene.grainsOf.of(node);
  const grain = scene.nodes.grain[node];
  return grain === kNone ? [] : [grain];
}

// Of the nodes that are marked; left above right: none is.
export function extentOf({ nodes }: Scene, marked: Uint8Array): Extent {
  const out = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (let i = 0; i < marked.length; i++) {
    if (!marked[i]) continue;
    out.left = Math.min(out.left, nodes.x[i] - nodes.width[i] / 2);
    out.right = Math.max(out.right, nodes.x[i] + nodes.width[i] / 2);
    out.top = Math.min(out.top, nodes.y[i]);
    out.bottom = Math.max(out.bottom, nodes.y[i] + nodes.height[i]);
  }
  return out;
}
