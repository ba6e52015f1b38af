// The recording as the page's other parts see it: columns by name, and the few indices between them.
import { Columns, lazily } from "./columns";
import { shortened } from "./format";
import { Codelet, CodeletGraph, Meta, Source } from "./page";

export const kNone = 0xffffffff;
export const kNoCpu = 0xffff;
const kCriticalBit = 0x80;
const kDependence = 3; // EdgeKind

export const enum NodeKind {
  fragment,
  fork,
  join,
  bookkeeping,
  chunk,
  joint,
  aggregate,
}
export const enum GrainKind {
  initial,
  implicit,
  share,
  chunk,
  task,
}
export const kGrainKindNames = ["initial task", "implicit task", "share", "chunk", "task"];
export const kNodeKindNames = [
  "fragment",
  "fork",
  "join",
  "book-keeping",
  "chunk",
  "joint of a set of tasks",
  "aggregate",
];
export const kScheduleNames = [
  "static",
  "static with chunk size",
  "dynamic",
  "guided",
  "auto",
  "sections",
  "distribute",
];

export interface Nodes {
  count: number;
  kind: Uint8Array; // NodeKind, kCriticalBit taken off
  critical: Uint8Array;
  grain: Uint32Array;
  source: Uint32Array;
  thread: Uint32Array;
  members: Uint32Array;
  begin: Float64Array;
  weight: Float64Array;
  x: Int32Array; // middle
  y: Int32Array; // top
  width: Int32Array;
  height: Int32Array;
}

// What the drawing thread is sent of them.
export type Boxes = Pick<Nodes, "count" | "kind" | "critical" | "x" | "y" | "width" | "height">;

export interface Edges {
  count: number;
  kind: Uint8Array;
  critical: Uint8Array;
  from: Uint32Array;
  to: Uint32Array;
  route: Uint8Array;
}

function splitCritical(bytes: Uint8Array): Uint8Array {
  const critical = new Uint8Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) {
    critical[i] = bytes[i] >> 7;
    bytes[i] &= kCriticalBit - 1;
  }
  return critical;
}

export interface Index {
  of(key: number): Uint32Array;
}

// For every key in [0, keys): the indices i with key[i] == it, in ascending order.
export class Groups implements Index {
  readonly begin: Uint32Array;
  readonly items: Uint32Array;
  constructor(keys: number, key: Uint32Array) {
    this.begin = new Uint32Array(keys + 1);
    for (const k of key) if (k < keys) this.begin[k + 1]++;
    for (let k = 0; k < keys; k++) this.begin[k + 1] += this.begin[k];
    const cursor = this.begin.slice();
    this.items = new Uint32Array(this.begin[keys]);
    for (let i = 0; i < key.length; i++) if (key[i] < keys) this.items[cursor[key[i]]++] = i;
  }
  of(key: number): Uint32Array {
    return this.items.subarray(this.begin[key], this.begin[key + 1]);
  }
}

// How many tasks were created and not started, on average over each bin of time.
interface Queue {
  binNs: number;
  tasks: Float32Array;
  most: number;
}

// How long each thread was in each state, by bins of time: bytes, 255 is the whole bin. Thread t's bins are
// [t * bins, (t + 1) * bins).
interface Timeline {
  binNs: number;
  bins: number;
  states: Record<string, Uint8Array>;
}

export class Model {
  readonly nodes: Nodes;
  readonly edges: Edges;
  readonly timeline: Timeline | null;
  readonly queue: Queue | null;
  // By node: the stretch of a procedure's instance that it is of; codelets are counted through all codeletGraphs.
  readonly stretches: { codelet: Uint32Array; visit: Uint32Array } | null;
  readonly homes: Uint16Array | null; // by grain: the memory node of most of the data that it said it touches
  readonly grains;
  readonly regions;
  readonly loops;
  readonly nodesOf: Groups; // by grain
  private children: Groups | null = null;
  readonly sources: Source[];
  readonly hasDependences: boolean;
  readonly firstOf: Uint32Array | null; // of a served page's nodes: where what they stand for begins in the whole graph
  readonly scattered: Uint8Array | null; // and whether others' nodes lie among those
  private dependences: { out: Groups; into: Groups } | null = null;

  constructor(
    readonly meta: Meta,
    c: Columns,
    readonly metricColumns: Columns,
  ) {
    this.sources = meta.sources;
    const kind = c.u8("node.kind");
    this.nodes = {
      count: kind.length,
      kind,
      critical: splitCritical(kind),
      grain: c.u32("node.grain"),
      source: c.u32("node.source"),
      thread: c.u32("node.thread"),
      members: c.u32("node.members"),
      begin: c.i64("node.begin"),
      weight: c.i64("node.weight"),
      x: c.i32("node.x"),
      y: c.i32("node.y"),
      width: c.i32("node.width"),
      height: c.i32("node.height"),
    };
    const edgeKind = c.u8("edge.kind");
    this.edges = {
      count: edgeKind.length,
      kind: edgeKind,
      critical: splitCritical(edgeKind),
      from: c.u32("edge.from"),
      to: c.u32("edge.to"),
      route: c.u8("edge.route"),
    };
    this.grains = lazily({
      count: () => c.count("grain.kind"),
      id: () => [c.u32("grain.id0"), c.u32("grain.id1"), c.u32("grain.id2"), c.u32("grain.id3")],
      kind: () => c.u8("grain.kind"),
      flags: () => c.u16("grain.flags"),
      cpu: () => c.u16("grain.cpu"),
      node: () => c.u16("grain.node"),
      parent: () => c.u32("grain.parent"),
      ordinal: () => c.u32("grain.ordinal"),
      source: () => c.u32("grain.source"),
      region: () => c.u32("grain.region"),
      loop: () => c.u32("grain.loop"),
      depth: () => c.u32("grain.depth"),
      thread: () => c.u32("grain.thread"),
      creator: () => c.u32("grain.creator"),
      fragments: () => c.u32("grain.fragments"),
      children: () => c.u32("grain.children"),
      createBegin: () => c.i64("grain.create_begin"),
      createCost: () => c.i64("grain.create_cost"),
      begin: () => c.i64("grain.begin"),
      span: () => c.i64("grain.span"),
      exec: () => c.i64("grain.exec"),
      wait: () => c.i64("grain.wait"),
      firstIteration: () => c.i64("grain.first_iteration"),
      iterations: () => c.i64("grain.iterations"),
    });
    this.regions = lazily({
      source: () => c.u32("region.source"),
      ordinal: () => c.u32("region.ordinal"),
      team: () => c.u32("region.team"),
      level: () => c.u32("region.level"),
    });
    this.loops = lazily({
      schedule: () => c.u8("loop.schedule"),
      chunk: () => c.u32("loop.chunk"),
      lower: () => c.i64("loop.lower"),
      increment: () => c.i64("loop.increment"),
      iterations: () => c.i64("loop.iterations"),
    });
    this.timeline = meta.timeline ? { binNs: meta.timeline.bin_ns, bins: meta.timeline.bins, states: {} } : null;
    if (this.timeline)
      for (const state of Object.keys(meta.thread_time)) this.timeline.states[state] = c.u8(`timeline.${state}`);
    this.homes = c.has("grain.home") ? c.u16("grain.home") : null;
    const tasks = meta.queue ? c.f32("queue.tasks") : null;
    this.queue = tasks ? { binNs: meta.queue!.bin_ns, tasks, most: tasks.reduce((a, b) => Math.max(a, b), 0) } : null;
    this.nodesOf = new Groups(this.grains.count, this.nodes.grain);
    this.stretches = c.has("node.codelet") ? { codelet: c.u32("node.codelet"), visit: c.u32("node.visit") } : null;
    this.firstOf = c.has("node.first") ? c.u32("node.first") : null;
    this.scattered = c.has("node.scattered") ? c.u8("node.scattered") : null;
    this.hasDependences = this.edges.kind.includes(kDependence);
  }

  get childrenOf(): Groups {
    return (this.children ??= new Groups(this.grains.count, this.grains.parent));
  } // by grain

  // Edges by which a node waits for others, and by which others wait for it.
  dependencesOf(node: number): number[] {
    if (!this.dependences) {
      const only = (end: Uint32Array) => end.map((n, e) => (this.edges.kind[e] === kDependence ? n : kNone));
      this.dependences = {
        out: new Groups(this.nodes.count, only(this.edges.from)),
        into: new Groups(this.nodes.count, only(this.edges.to)),
      };
    }
    return [...this.dependences.into.of(node), ...this.dependences.out.of(node)];
  }

  // 32 hexadecimal digits, the same in every run of the program on the same input.
  idOf(grain: number): string {
    return this.grains.id.map((part) => part[grain].toString(16).padStart(8, "0")).join("");
  }

  // What a node is about: a fragment its grain's construct, a fork what it creates, a join its wait.
  sourceOfNode(nodes: Nodes, node: number): number {
    const own = nodes.source[node];
    if (own !== kNone) return own;
    const grain = nodes.grain[node];
    return grain === kNone ? kNone : this.grains.source[grain];
  }

  // The initial and the implicit tasks carry others, but are none themselves.
  isGrain(grain: number): boolean {
    return this.grains.kind[grain] >= GrainKind.share;
  }

  // Of the recording, and of these in the page: a graph that was cut, or a part of one, has fewer.
  get allGrains(): number {
    return this.meta.totals.tasks + this.meta.totals.chunks + this.meta.totals.shares;
  }
  get grainsHere(): number {
    return (this.here ??= this.grains.kind.reduce((sum, kind) => sum + (kind >= GrainKind.share ? 1 : 0), 0));
  }
  private here: number | undefined;

  placeOf(source: number): string {
    return source === kNone ? "unknown place" : this.sources[source].place;
  }

  // All that is known of a place, for hovering: names are shortened where they are shown.
  fullPlaceOf(source: number): string {
    if (source === kNone) return "";
    const { file, module, line, address, function: name } = this.sources[source];
    return `${file || module}${line ? `:${line}` : ` at ${address}`}${name ? `\n${name}` : ""}`;
  }

  // "task in merge_sort"
  whatOf(source: number): string {
    const s = this.sources[source];
    return s.construct + (s.function ? ` in ${shortened(s.function)}` : "");
  }

  // A source that allocates memory, or is a variable: it makes no grains.
  isMemory(source: number): boolean {
    this.memory ??= new Set((this.meta.allocations?.lines ?? []).map((l) => l.source ?? kNone));
    return source !== kNone && this.memory.has(source);
  }
  private memory: Set<number> | undefined;

  get codeletGraphs(): CodeletGraph[] {
    return this.meta.codelet_graphs ?? [];
  }

  // Of a fragment, if it is of a procedure's instance.
  stretchOf(node: number): { codelet: Codelet; visit: number } | null {
    const at = this.stretches?.codelet[node] ?? kNone;
    const codelet = at === kNone ? undefined : this.codeletGraphs.flatMap((g) => g.codelets)[at];
    return codelet ? { codelet, visit: this.stretches!.visit[node] } : null;
  }

  // The number of a codelet in its class; -1: the grain is none.
  codeletOf(grain: number): number {
    const source = grain === kNone ? kNone : this.grains.source[grain];
    return source !== kNone && this.sources[source].construct === "codelet" ? this.grains.firstIteration[grain] : -1;
  }
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
