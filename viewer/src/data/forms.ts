// The reductions: fewer boxes for the same program. Every grain goes into one box; boxes form a tree, as grains do,
// which tree_layout.ts draws. Linear in the number of grains: parents stand before their children in the table.
import { GrainKind, Groups, kNone, Model } from "./model";
import type { Form, Scene } from "./scene";
import { layoutTree, Tree } from "./tree_layout";

const kRoomForBoxes = 4000; // that one still reads: deeper subtrees start collapsed

// What the full graph says of each grain and the forms need: found once.
export class GrainFacts {
  readonly critical: Uint8Array; // has a node on the critical path
  readonly joinedAt: Uint32Array; // node of the full graph that waits for it, or kNone
  readonly deepest: number; // level of the deepest task; levelOf()

  constructor(readonly model: Model) {
    const { nodes, edges, grains } = model;
    this.critical = new Uint8Array(grains.count);
    for (let i = 0; i < nodes.count; i++)
      if (nodes.critical[i] && nodes.grain[i] !== kNone) this.critical[nodes.grain[i]] = 1;
    this.joinedAt = new Uint32Array(grains.count).fill(kNone);
    for (let e = 0; e < edges.count; e++) {
      const grain = edges.kind[e] === 1 ? nodes.grain[edges.from[e]] : kNone;
      if (grain !== kNone) this.joinedAt[grain] = edges.to[e];
    }
    let deepest = 0;
    for (let g = 0; g < grains.count; g++) deepest = Math.max(deepest, this.levelOf(g));
    this.deepest = deepest;
  }

  // 0: no task; 1: a task that no task created.
  levelOf(grain: number): number {
    return this.model.grains.kind[grain] === GrainKind.task ? this.model.grains.depth[grain] + 1 : 0;
  }

  // Children of a grain with the same key are waited for together.
  keyOf(grain: number): number {
    const { grains } = this.model;
    const kind = grains.kind[grain];
    const id =
      kind === GrainKind.implicit
        ? grains.region[grain]
        : kind === GrainKind.chunk
          ? grains.loop[grain]
          : this.joinedAt[grain];
    return kind * 4294967296 + id;
  }

  // The largest level down to which a picture with one box a grain still reads.
  readableLevel(): number {
    const at = new Float64Array(this.deepest + 2);
    for (let g = 0; g < this.model.grains.count; g++) at[this.levelOf(g)]++;
    let level = 0;
    for (let boxes = 0; level <= this.deepest && (boxes += at[level]) <= kRoomForBoxes; level++);
    return level > this.deepest ? this.deepest : Math.max(1, level - 1);
  }
}

export interface FormOptions {
  level: number; // subtrees of tasks at this level are one box
  collapsed: Set<number>; // grains whose subtrees are one box
  opened: Set<number>; // grains whose subtrees are not, whatever their level
}

class TreeBuilder {
  readonly parent: number[] = [];
  readonly key: number[] = [];
  readonly first: number[] = [];
  add(parent: number, key: number, grain: number): number {
    this.parent.push(parent);
    this.key.push(key);
    this.first.push(grain);
    return this.parent.length - 1;
  }
}

// One box a grain; a thread's part of a region is one, with its shares.
function byGrain(
  facts: GrainFacts,
  options: FormOptions,
  itemOf: Uint32Array,
): { tree: TreeBuilder; closed: Uint8Array; capped: number } {
  const { grains } = facts.model;
  const tree = new TreeBuilder();
  const closed = new Uint8Array(grains.count);
  let capped = 0;
  for (let g = 0; g < grains.count; g++) {
    const up = grains.parent[g];
    if (up !== kNone && (closed[up] || grains.kind[g] === GrainKind.share)) {
      itemOf[g] = itemOf[up];
      closed[g] = closed[up];
      capped += closed[up];
      continue;
    }
    itemOf[g] = tree.add(up === kNone ? kNone : itemOf[up], facts.keyOf(g), g);
    if (options.collapsed.has(g) || (facts.levelOf(g) >= Math.max(1, options.level) && !options.opened.has(g)))
      closed[g] = 1;
  }
  return { tree, closed, capped };
}

// One box for all grains with the same name; it hangs below the box of its first grain's parent.
function byName(facts: GrainFacts, nameOf: (grain: number) => number, itemOf: Uint32Array): TreeBuilder {
  const { grains } = facts.model;
  const tree = new TreeBuilder();
  const known = new Map<number, number>();
  for (let g = 0; g < grains.count; g++) {
    const up = grains.parent[g];
    if (up !== kNone && grains.kind[g] === GrainKind.share) {
      itemOf[g] = itemOf[up];
      continue;
    }
    const name = nameOf(g);
    let item = known.get(name);
    if (item === undefined) known.set(name, (item = tree.add(up === kNone ? kNone : itemOf[up], 0, g)));
    itemOf[g] = item;
  }
  return tree;
}

export function makeForm(form: Exclude<Form, "nodes">, facts: GrainFacts, options: FormOptions): Scene {
  const { model } = facts;
  const { grains } = model;
  const itemOf = new Uint32Array(grains.count);
  let capped = 0;
  let closed: Uint8Array | null = null;
  let built: TreeBuilder;
  if (form === "grains") ({ tree: built, closed, capped } = byGrain(facts, options, itemOf));
  else {
    const sources = model.sources.length + 1;
    const source = (g: number) => Math.min(grains.source[g], sources - 1) * 8 + grains.kind[g];
    built = byName(facts, form === "lines" ? source : (g) => facts.levelOf(g) * sources * 8 + source(g), itemOf);
  }
  const items = built.parent.length;
  const tree: Tree = {
    count: items,
    parent: Uint32Array.from(built.parent),
    key: Float64Array.from(built.key),
    weight: new Float64Array(items),
    members: new Uint32Array(items),
    critical: new Uint8Array(items),
    waits: form === "grains",
  };
  for (let g = 0; g < grains.count; g++) {
    const i = itemOf[g];
    tree.weight[i] += Math.max(0, grains.exec[g]);
    tree.members[i]++;
    tree.critical[i] |= facts.critical[g];
  }
  const { nodes, edges, extent, nodeOf, unitsPerPixel, forkOf } = layoutTree(tree, model.meta.layout.lengths);
  for (let i = 0; i < items; i++) {
    const g = built.first[i];
    const n = nodeOf[i];
    const alone = tree.members[i] === 1 || grains.kind[g] === GrainKind.implicit;
    nodes.grain[n] = form === "grains" || alone ? g : kNone;
    nodes.source[n] = grains.source[g];
    nodes.thread[n] = alone || form === "grains" ? grains.thread[g] : kNone;
    nodes.begin[n] = grains.begin[g];
    if (form === "grains" && alone) nodes.kind[n] = 0; // NodeKind.fragment
  }
  for (let n = 0; n < nodes.count; n++) {
    if (forkOf[n] === kNone) continue;
    const g = built.first[forkOf[n]]; // forks and joins belong to the grain that creates and waits
    nodes.grain[n] = form === "grains" ? g : kNone;
    nodes.thread[n] = grains.thread[g];
  }
  const nodeOfGrain = new Uint32Array(grains.count);
  nodes.members.fill(0); // what carries grains is in a box as well, but is none
  for (let g = 0; g < grains.count; g++) {
    nodeOfGrain[g] = nodeOf[itemOf[g]];
    if (model.isGrain(g)) nodes.members[nodeOfGrain[g]]++;
  }
  return {
    form,
    nodes,
    edges,
    extent,
    unitsPerPixel,
    closed,
    capped,
    nodesOf: { of: (grain) => nodeOfGrain.subarray(grain, grain + 1) },
    grainsOf: new Groups(nodes.count, nodeOfGrain),
  };
}
