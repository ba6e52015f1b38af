// The recording as the page's other parts see it: columns by name, and the few indices between them.
import { Columns } from "./columns";
import { Meta, Source } from "./page";

export const kNone = 0xffffffff;
export const kNoCpu = 0xffff;
export const kCriticalBit = 0x80;

export const enum NodeKind { fragment, fork, join, bookkeeping, chunk, joint, aggregate }
export const enum GrainKind { initial, implicit, share, chunk, task }
export const kGrainKindNames = ["initial task", "implicit task", "share", "chunk", "task"];
export const kNodeKindNames = ["fragment", "fork", "join", "book-keeping", "chunk", "joint of a set of tasks", "aggregate"];
export const kScheduleNames = ["static", "static with chunk size", "dynamic", "guided", "auto", "sections", "distribute"];

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

// For every key in [0, keys): the indices i with key[i] == it, in ascending order.
export class Groups {
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
  of(key: number): Uint32Array { return this.items.subarray(this.begin[key], this.begin[key + 1]); }
}

export class Model {
  readonly nodes: Nodes;
  readonly edges: Edges;
  readonly grains;
  readonly regions;
  readonly loops;
  readonly nodesOf: Groups; // by grain
  readonly childrenOf: Groups; // by grain
  readonly sources: Source[];

  constructor(readonly meta: Meta, c: Columns) {
    this.sources = meta.sources;
    const kind = c.u8("node.kind");
    this.nodes = {
      count: kind.length, kind, critical: splitCritical(kind),
      grain: c.u32("node.grain"), source: c.u32("node.source"), thread: c.u32("node.thread"),
      members: c.u32("node.members"), begin: c.i64("node.begin"), weight: c.i64("node.weight"),
      x: c.i32("node.x"), y: c.i32("node.y"), width: c.i32("node.width"), height: c.i32("node.height"),
    };
    const edgeKind = c.u8("edge.kind");
    this.edges = {
      count: edgeKind.length, kind: edgeKind, critical: splitCritical(edgeKind),
      from: c.u32("edge.from"), to: c.u32("edge.to"), route: c.u8("edge.route"),
    };
    this.grains = {
      count: c.u8("grain.kind").length,
      id: [c.u32("grain.id0"), c.u32("grain.id1"), c.u32("grain.id2"), c.u32("grain.id3")],
      kind: c.u8("grain.kind"), flags: c.u16("grain.flags"), cpu: c.u16("grain.cpu"), node: c.u16("grain.node"),
      parent: c.u32("grain.parent"), ordinal: c.u32("grain.ordinal"), source: c.u32("grain.source"),
      region: c.u32("grain.region"), loop: c.u32("grain.loop"), depth: c.u32("grain.depth"),
      thread: c.u32("grain.thread"), creator: c.u32("grain.creator"), fragments: c.u32("grain.fragments"),
      children: c.u32("grain.children"), createBegin: c.i64("grain.create_begin"), createCost: c.i64("grain.create_cost"),
      begin: c.i64("grain.begin"), span: c.i64("grain.span"), exec: c.i64("grain.exec"), wait: c.i64("grain.wait"),
      firstIteration: c.i64("grain.first_iteration"), iterations: c.i64("grain.iterations"),
    };
    this.regions = {
      source: c.u32("region.source"), ordinal: c.u32("region.ordinal"), team: c.u32("region.team"), level: c.u32("region.level"),
    };
    this.loops = {
      schedule: c.u8("loop.schedule"), chunk: c.u32("loop.chunk"), lower: c.i64("loop.lower"),
      increment: c.i64("loop.increment"), iterations: c.i64("loop.iterations"),
    };
    this.nodesOf = new Groups(this.grains.count, this.nodes.grain);
    this.childrenOf = new Groups(this.grains.count, this.grains.parent);
  }

  // 32 hexadecimal digits, the same in every run of the program on the same input.
  idOf(grain: number): string {
    return this.grains.id.map((part) => part[grain].toString(16).padStart(8, "0")).join("");
  }

  // What a node is about: a fragment its grain's construct, a fork what it creates, a join its wait.
  sourceOfNode(node: number): number {
    const own = this.nodes.source[node];
    if (own !== kNone) return own;
    const grain = this.nodes.grain[node];
    return grain === kNone ? kNone : this.grains.source[grain];
  }

  placeOf(source: number): string {
    if (source === kNone) return "unknown place";
    const s = this.sources[source];
    if (s.file && s.line) return `${baseName(s.file)}:${s.line}`;
    return s.function || `${baseName(s.module)}+${s.address}`;
  }
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
