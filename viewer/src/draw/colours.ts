// What colour a node has: by source, kind, thread, memory node that it ran on or that its data is on, or by a metric.
// Forks, joins and book-keeping keep the grain graph's own colours (green, orange, turquoise). By a metric with a
// threshold, problems go from yellow to red, and all that is no problem is dimmed.

import type { Metric } from "../data/metrics";
import { GrainKind, kGrainKindNames, kNoCpu, kNone, Model, NodeKind } from "../data/model";
import { grainsOfNode, Scene } from "../data/scene";
import { rgb } from "./surface";

export type Structure = "source" | "kind" | "thread" | "node" | "home";
export const kStructures: Structure[] = ["source", "kind", "thread", "node", "home"];
export type Colouring = Structure | Metric;

interface LegendEntry {
  colour: number;
  label: string;
  hover?: string;
  source?: number;
  round?: boolean;
}

function hex(text: string): number {
  const v = parseInt(text, 16);
  return rgb(v >> 16, (v >> 8) & 255, v & 255);
}

export function css(colour: number): string {
  return `rgb(${colour & 255},${(colour >> 8) & 255},${(colour >> 16) & 255})`;
}

// No greens, oranges or reds: those mean fork, join and critical path.
const kCategories = [
  "4c86c6",
  "a06cd5",
  "d9b13b",
  "3b4f9a",
  "d26fa6",
  "8d6e52",
  "7fb5e6",
  "6d5bb0",
  "b6b04a",
  "5d7380",
  "b98bd9",
  "9aa5b1",
].map(hex);
const kOther = hex("8a939d");
const kFork = hex("3aa655");
const kJoin = hex("e8912d");
const kBookkeeping = hex("2fb8b3");
const kAggregate = hex("77808a");
const kRamp = ["26355f", "2c5a8a", "2a7f9c", "3ea39a", "83c283", "cbd968", "f6e34a"].map(hex); // short to long
const kKindColours: Record<number, number> = {
  [GrainKind.initial]: hex("5d7380"),
  [GrainKind.implicit]: hex("9aa5b1"),
  [GrainKind.share]: hex("8d6e52"),
  [GrainKind.chunk]: hex("a06cd5"),
  [GrainKind.task]: hex("4c86c6"),
};

const kChangeRamp = ["1f5fbf", "5b93d6", "a3bfdd", "b4b9bf", "e3b39c", "dc7152", "c0262c"].map(hex); // half as long, alike, twice as long
export const kOnly = hex("e0b000"); // in one of two recordings only
const kProblemRamp = ["f2c94c", "f0a03c", "e2632f", "c81e3a", "8e0f3f"].map(hex); // from just a problem to the worst
export const kMild = kProblemRamp[0];
const kDimmed = 0.84; // of the way to the background
const kFaintStructure = 0.78; // forks and joins where problems are to be seen

export function mix(a: number, b: number, share: number): number {
  const keep = 1 - share;
  return (
    Math.round((a & 255) * keep + (b & 255) * share) |
    (Math.round(((a >> 8) & 255) * keep + ((b >> 8) & 255) * share) << 8) |
    (Math.round(((a >> 16) & 255) * keep + ((b >> 16) & 255) * share) << 16)
  );
}

function along(ramp: number[], at: number): number {
  const x = Math.max(0, Math.min(1, at)) * (ramp.length - 1);
  const k = Math.min(ramp.length - 2, Math.floor(x));
  return mix(ramp[k], ramp[k + 1], x - k);
}

function hue(i: number, n: number): number {
  const h = (i / n) * 6;
  const part = (k: number) => {
    const t = (k + h) % 6;
    return Math.round(70 + 150 * Math.min(1, Math.max(0, Math.abs(t - 3) - 1)));
  };
  return rgb(part(0), part(4), part(2));
}

export class Colours {
  private readonly bySource: number[];
  private threads: number;

  constructor(private readonly model: Model) {
    this.threads = model.meta.threads.length;
    const order = model.sources.map((_, i) => i).sort((a, b) => model.sources[b].exec - model.sources[a].exec);
    this.bySource = new Array<number>(order.length).fill(kOther);
    order.slice(0, kCategories.length).forEach((source, rank) => (this.bySource[source] = kCategories[rank]));
  }

  // The other recording's colours for what it has, too.
  takeOver(from: Colours, sourceThere: (source: number) => number): void {
    const free = kCategories.filter((c) => !from.bySource.includes(c));
    this.bySource.forEach((own, s) => {
      const there = sourceThere(s);
      this.bySource[s] = there !== kNone ? from.bySource[there] : own === kOther ? kOther : (free.shift() ?? kOther);
    });
    this.threads = from.threads = Math.max(this.threads, from.threads);
  }

  ofSource(source: number): number {
    return source === kNone ? kOther : (this.bySource[source] ?? kOther);
  }

  private ofNumber(i: number, n: number): number {
    return i >= n ? kOther : n <= kCategories.length ? kCategories[i % kCategories.length] : hue(i, n);
  }

  ofThread(thread: number): number {
    return this.ofNumber(thread, this.threads);
  }

  private ofStructure(scene: Scene, node: number, mode: Structure): number {
    const { grains } = this.model;
    const { nodes } = scene;
    const grain = nodes.grain[node];
    const aggregate = nodes.kind[node] === NodeKind.aggregate;
    if (mode === "thread") return this.ofThread(nodes.thread[node]);
    if (mode === "node")
      return grain === kNone || grains.node[grain] === kNoCpu
        ? kOther
        : this.ofNumber(grains.node[grain], this.memoryNodes());
    if (mode === "home") return this.ofHome(grain === kNone ? (scene.grainsOf?.of(node) ?? []) : [grain]);
    if (mode === "kind") {
      const first = grain !== kNone ? grain : (grainsOfNode(scene, node)[0] ?? kNone);
      return (aggregate && !scene.grainsOf) || first === kNone ? kAggregate : kKindColours[grains.kind[first]];
    }
    return this.ofSource(grain === kNone || grains.source[grain] === kNone ? nodes.source[node] : grains.source[grain]);
  }

  // As by "node": one on which no grain ran has none of its own.
  ofMemoryNode(node: number): number {
    return this.ofNumber(node, this.memoryNodes());
  }

  private nodesSeen = 0;
  private memoryNodes(): number {
    if (this.nodesSeen) return this.nodesSeen;
    for (const of of [this.model.grains.node, this.model.homes ?? []])
      for (const n of of) if (n !== kNoCpu && n >= this.nodesSeen) this.nodesSeen = n + 1;
    return this.nodesSeen;
  }

  // Of several grains: where all of them have their data, if that is one node.
  private ofHome(grains: ArrayLike<number>): number {
    const { homes } = this.model;
    const home = homes && grains.length > 0 ? homes[grains[0]] : kNoCpu;
    for (let i = 1; i < grains.length; i++) if (homes![grains[i]] !== home) return kOther;
    return home === kNoCpu ? kOther : this.ofNumber(home, this.memoryNodes());
  }

  // The colour of grains together by a metric: how bad the bad ones are on average, fainter the smaller their part;
  // `dim` where none is.
  private byMetric(metric: Metric, dim: number): (members: ArrayLike<number>) => number {
    const { values, bad, severity, change } = metric;
    const ramp = Colours.ramp(metric);
    const table = Uint32Array.from({ length: 256 }, (_, i) => along(ramp, i / 255));
    if (change)
      return (members) => {
        const v = change.together(members);
        return !Number.isNaN(v) ? table[Math.round(255 * severity(v))] : change.inOneOnly(members) ? kOnly : dim;
      };
    const tells = bad ? (v: number) => metric.isProblem(v) : (v: number) => !Number.isNaN(v);
    return (members) => {
      let sum = 0;
      let counted = 0;
      for (let i = 0; i < members.length; i++) {
        const v = values[members[i]];
        if (!tells(v)) continue;
        sum += severity(v);
        counted++;
      }
      if (counted === 0) return dim;
      const colour = table[Math.round((255 * sum) / counted)];
      return bad && counted < members.length ? mix(colour, dim, 0.75 * (1 - counted / members.length)) : colour;
    };
  }

  // One colour a node; where `lit` is given, all others are dimmed towards the background.
  paint(scene: Scene, by: Colouring, lit: Uint8Array | null, background: number): Uint32Array {
    const { nodes } = scene;
    const out = new Uint32Array(nodes.count);
    const metric = typeof by === "string" ? null : by;
    const dim = mix(kOther, background, metric?.bad ? 0.7 : kDimmed);
    const faint = metric ? kFaintStructure : 0;
    const ofKind = [0, kFork, kJoin, kBookkeeping, 0, kJoin, 0].map((c) => mix(c, background, faint));
    const ofGrains = metric && this.byMetric(metric, dim);
    const one = [0];
    let before = kNone; // nodes of one grain stand together
    let beforeColour = dim;
    for (let i = 0; i < out.length; i++) {
      let colour = ofKind[nodes.kind[i]];
      if ((kStructureKinds >> nodes.kind[i]) & 1) {
        // as it is
      } else if (ofGrains && scene.grainsOf) {
        colour = ofGrains(scene.grainsOf.of(i));
      } else if (ofGrains) {
        if ((one[0] = nodes.grain[i]) !== before) beforeColour = (before = one[0]) === kNone ? dim : ofGrains(one);
        colour = beforeColour;
      } else colour = this.ofStructure(scene, i, by as Structure);
      out[i] = lit && !lit[i] ? mix(colour, background, kDimmed) : colour;
    }
    return out;
  }

  // The colour of one grain's properties in the panels.
  ofNode(scene: Scene, node: number, by: Colouring, background: number): number {
    const kind = scene.nodes.kind[node];
    if (kind === NodeKind.fork) return kFork;
    if (kind === NodeKind.join || kind === NodeKind.joint) return kJoin;
    if (kind === NodeKind.bookkeeping) return kBookkeeping;
    if (typeof by === "string") return this.ofStructure(scene, node, by);
    const members = grainsOfNode(scene, node);
    return members.length === 0 ? kOther : this.byMetric(by, mix(kOther, background, 0.5))(members);
  }

  legend(by: Structure): LegendEntry[] {
    const { model } = this;
    if (by === "kind") {
      const seen = new Set<number>(model.grains.kind);
      seen.delete(GrainKind.implicit);
      return [...seen].sort((a, b) => b - a).map((k) => ({ colour: kKindColours[k], label: kGrainKindNames[k] }));
    }
    const numbered = (
      n: number,
      name: string,
      colourOf: (i: number) => number,
      hover: (i: number) => string,
    ): LegendEntry[] => {
      const entries = [...Array(Math.min(n, 24)).keys()].map((i) => ({
        colour: colourOf(i),
        label: `${name} ${i}`,
        hover: hover(i),
      }));
      return n > 24 ? [...entries, { colour: kOther, label: `and ${n - 24} more`, hover: "" }] : entries;
    };
    if (by === "thread")
      return numbered(
        model.meta.threads.length,
        "thread",
        (i) => this.ofThread(i),
        (i) => `operating system thread ${model.meta.threads[i].os_tid}`,
      );
    if (by === "home")
      return [
        ...numbered(
          this.memoryNodes(),
          "data on node",
          (i) => this.ofNumber(i, this.memoryNodes()),
          () => "where most of what the task said it touches was when it started",
        ),
        {
          colour: kOther,
          label: "not told",
          hover:
            "No data with a known node was named (depend, affinity, ompx_task_footprint), or grains of several nodes are in one box.",
        },
      ];
    if (by === "node")
      return numbered(
        this.memoryNodes(),
        "memory node",
        (i) => this.ofNumber(i, this.memoryNodes()),
        () => "where the grain ran",
      );
    const order = model.sources
      .map((_, i) => i)
      .filter((i) => model.sources[i].grains > 0)
      .sort((a, b) => model.sources[b].exec - model.sources[a].exec);
    const entries: LegendEntry[] = order.slice(0, kCategories.length).map((i) => ({
      colour: this.ofSource(i),
      label: model.placeOf(i),
      hover: model.sources[i].function,
      source: i,
    }));
    if (order.length > entries.length) entries.push({ colour: kOther, label: "other", hover: "All further sources." });
    return entries;
  }

  // What forks, joins and the like mean, as far as the scene has them.
  structure(scene: Scene): LegendEntry[] {
    const { kind } = scene.nodes;
    const out: LegendEntry[] = [];
    if (kind.includes(NodeKind.fork))
      out.push({
        colour: kFork,
        label: "fork",
        round: true,
        hover: "A task is created here, or a team of threads begins.",
      });
    if (kind.includes(NodeKind.join))
      out.push({
        colour: kJoin,
        label: "join",
        round: true,
        hover: "Work is waited for here: taskwait, taskgroup, barrier, end of a loop or region.",
      });
    if (kind.includes(NodeKind.bookkeeping))
      out.push({
        colour: kBookkeeping,
        label: "book-keeping",
        hover: "A thread fetches its next iterations of a loop.",
      });
    if (kind.includes(NodeKind.joint))
      out.push({
        colour: kJoin,
        label: "joint",
        round: true,
        hover: "Stands for a set of tasks that others depend on.",
      });
    return out;
  }

  static ramp(metric: Metric): number[] {
    return metric.change ? kChangeRamp : metric.bad ? kProblemRamp : kRamp;
  }
}

const kStructureKinds =
  (1 << NodeKind.fork) | (1 << NodeKind.join) | (1 << NodeKind.joint) | (1 << NodeKind.bookkeeping);
