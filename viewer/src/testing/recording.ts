// Small recordings for the tests beside the files: tables as they stand in a page, from a few rows each.
import { type ColumnDescription, Columns } from "../data/columns";
import { GrainKind, kNoCpu, kNone, Model, NodeKind } from "../data/model";
import type { Lengths, Meta, MetricDescription, Problem, Source } from "../data/page";

type Type = ColumnDescription["type"];
type Numbers = Record<string, [Type, ArrayLike<number>]>;

const kBytes = { u8: 1, u16: 2, u32: 4, i32: 4, i64: 8, f32: 4 };

// As the tool writes them: byte planes of v + 1, of a float's bits + 1.
function codeOf(type: Type, v: number): bigint {
  if (type !== "f32") return BigInt(v) + 1n;
  const bits = new DataView(new ArrayBuffer(4));
  bits.setFloat32(0, v);
  return Number.isNaN(v) ? 0n : BigInt(bits.getUint32(0)) + 1n;
}

export function columnsOf(numbers: Numbers): Columns {
  const bytes: number[] = [];
  const descriptions = Object.entries(numbers).map(([name, [type, values]]): ColumnDescription => {
    const codes = Array.from(values, (v) => BigInt.asUintN(8 * kBytes[type], codeOf(type, v)));
    const planes = Array.from({ length: kBytes[type] }, (_, b) => {
      const at = bytes.length;
      for (const code of codes) bytes.push(Number((code >> BigInt(8 * b)) & 255n));
      return at;
    });
    return { name, type, count: codes.length, delta: false, planes };
  });
  return new Columns(Uint8Array.from(bytes), descriptions);
}

const kGrain = {
  kind: GrainKind.task as number,
  id: 0, // the first 32 of its 128 bits
  parent: kNone,
  source: 0,
  exec: 100,
  depth: 0,
  thread: 0,
  begin: 0,
  createCost: 10,
  firstIteration: -1,
  flags: 0,
  region: kNone,
  loop: kNone,
};
type Grain = typeof kGrain;

const kNode = {
  kind: NodeKind.fragment as number,
  critical: false,
  grain: kNone,
  source: kNone,
  weight: 100,
  begin: 0,
  members: 1,
};
type Node = typeof kNode;

interface Edge {
  kind: number; // continuation, join, creation, dependence: EdgeKind
  from: number;
  to: number;
}

export const kLengths: Lengths = { box: 14, round: 8, floor: 4, linear: 36, octave: 10, fan: 8, margin: 3, aside: 2 };

interface Recording {
  grains: Partial<Grain>[];
  nodes?: Partial<Node>[]; // one a grain where there are none
  edges?: Edge[];
  sources?: Partial<Source>[];
  metrics?: { about: Partial<MetricDescription>; values?: number[] }[]; // without values: from the grains' own columns
  problems?: Partial<Problem>[];
  meta?: Partial<Meta>;
}

function metaOf(r: Recording): Meta {
  const of = (kind: GrainKind) => r.grains.filter((g) => (g.kind ?? kGrain.kind) === kind).length;
  const meta: Partial<Meta> = {
    format: 2,
    program: "/bin/app",
    argv: ["/bin/app"],
    wall_ns: 1000,
    times_valid: true,
    totals: { tasks: of(GrainKind.task), chunks: of(GrainKind.chunk), shares: of(GrainKind.share), regions: 1 },
    thread_time: { work: 1000 },
    exec: r.grains.reduce((sum, g) => sum + (g.exec ?? kGrain.exec), 0),
    threads: [{ os_tid: 1, initial: true, in_team: 0, times: {} }],
    sources: (r.sources ?? [{}]).map((s, i) => ({
      place: `${s.file ?? "app.c"}:${s.line ?? i + 1}`,
      file: "app.c",
      line: i + 1,
      function: "main",
      construct: "task",
      module: "app",
      address: "0x0",
      inlined: [],
      grains: r.grains.filter((g) => (g.source ?? kGrain.source) === i).length,
      exec: 100,
      longest: 100,
      created: 0,
      ...s,
    })),
    problems: (r.problems ?? []).map((p) => ({
      kind: "tasks_too_fine",
      share: 0.5,
      grains: 1,
      what: "what",
      advice: "advice",
      evidence: [],
      sources: [],
      ...p,
    })),
    verdict: "",
    metrics: (r.metrics ?? []).map(({ about, values }) => ({
      key: "exec",
      name: about.key ?? "execution",
      unit: "ns",
      level: "grain",
      kinds: 31,
      definition: "what it is",
      scale: "linear",
      reason: "",
      origin: "",
      present: values ? values.filter((v) => !Number.isNaN(v)).length : r.grains.length,
      ...about,
    })),
    warnings: [],
    layout: { units_per_pixel: 4, left: 0, right: 1000, top: 0, bottom: 1000, linear_up_to_ns: 100, lengths: kLengths },
    graph: { nodes: r.nodes?.length ?? r.grains.length, edges: r.edges?.length ?? 0 },
    ...r.meta,
  };
  return meta as Meta;
}

export function recording(r: Recording): Model {
  const grains = r.grains.map((g) => ({ ...kGrain, ...g }));
  const nodes = (r.nodes ?? grains.map((g, i) => ({ grain: i, source: g.source, weight: g.exec, begin: g.begin }))).map(
    (n) => ({ ...kNode, ...n }),
  );
  const edges = r.edges ?? [];
  const of = <T>(rows: T[], value: (row: T, i: number) => number) => rows.map(value);
  const zeros = of(grains, () => 0);
  const children = of(grains, (_, i) => grains.filter((g) => g.parent === i).length);
  return new Model(
    metaOf(r),
    columnsOf({
      "node.kind": ["u8", of(nodes, (n) => n.kind | (n.critical ? 0x80 : 0))],
      "node.grain": ["u32", of(nodes, (n) => n.grain)],
      "node.source": ["u32", of(nodes, (n) => n.source)],
      "node.thread": ["u32", of(nodes, () => 0)],
      "node.members": ["u32", of(nodes, (n) => n.members)],
      "node.begin": ["i64", of(nodes, (n) => n.begin)],
      "node.weight": ["i64", of(nodes, (n) => n.weight)],
      "node.x": ["i32", of(nodes, () => 500)],
      "node.y": ["i32", of(nodes, (_, i) => 20 * i)],
      "node.width": ["i32", of(nodes, () => 56)],
      "node.height": ["i32", of(nodes, () => 16)],
      "edge.kind": ["u8", of(edges, (e) => e.kind)],
      "edge.from": ["u32", of(edges, (e) => e.from)],
      "edge.to": ["u32", of(edges, (e) => e.to)],
      "edge.route": ["u8", of(edges, () => 0)],
      "grain.kind": ["u8", of(grains, (g) => g.kind)],
      "grain.id0": ["u32", of(grains, (g, i) => g.id || i)],
      "grain.id1": ["u32", zeros],
      "grain.id2": ["u32", zeros],
      "grain.id3": ["u32", zeros],
      "grain.flags": ["u16", of(grains, (g) => g.flags)],
      "grain.cpu": ["u16", of(grains, () => kNoCpu)],
      "grain.node": ["u16", of(grains, () => kNoCpu)],
      "grain.parent": ["u32", of(grains, (g) => g.parent)],
      "grain.ordinal": ["u32", zeros],
      "grain.source": ["u32", of(grains, (g) => g.source)],
      "grain.region": ["u32", of(grains, (g) => g.region)],
      "grain.loop": ["u32", of(grains, (g) => g.loop)],
      "grain.depth": ["u32", of(grains, (g) => g.depth)],
      "grain.thread": ["u32", of(grains, (g) => g.thread)],
      "grain.creator": ["u32", of(grains, (g) => g.thread)],
      "grain.fragments": ["u32", of(grains, () => 1)],
      "grain.children": ["u32", children],
      "grain.create_begin": ["i64", of(grains, (g) => g.begin)],
      "grain.create_cost": ["i64", of(grains, (g) => g.createCost)],
      "grain.begin": ["i64", of(grains, (g) => g.begin)],
      "grain.span": ["i64", of(grains, (g) => g.exec)],
      "grain.exec": ["i64", of(grains, (g) => g.exec)],
      "grain.wait": ["i64", zeros],
      "grain.first_iteration": ["i64", of(grains, (g) => g.firstIteration)],
      "grain.iterations": ["i64", of(grains, () => -1)],
    }),
    columnsOf(
      Object.fromEntries(
        (r.metrics ?? []).flatMap(({ about, values }) => (values ? [[`metric.${about.key}`, ["f32", values]]] : [])),
      ),
    ),
  );
}

// fib-like: the initial task makes one task, each makes two down to `depth`. All of one line, in the order of creation.
export function binaryTree(depth: number): Partial<Grain>[] {
  const grains: Partial<Grain>[] = [{ kind: GrainKind.initial, source: 0 }];
  const add = (parent: number, level: number): void => {
    const grain = grains.push({ parent, depth: level, source: 1, exec: 100 * (depth - level + 1) }) - 1;
    if (level < depth) for (let child = 0; child < 2; child++) add(grain, level + 1);
  };
  add(0, 0);
  return grains;
}
