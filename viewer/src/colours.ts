// What colour a node has: by source, kind, time or thread; forks, joins and book-keeping keep the grain graph's own
// colours (green, orange, turquoise) in every mode.
import { rgb } from "./draw/surface";
import { time } from "./format";
import { GrainKind, kGrainKindNames, kNone, Model, NodeKind } from "./model";

export type ColourMode = "source" | "kind" | "time" | "thread";
export const kColourModes: ColourMode[] = ["source", "kind", "time", "thread"];

export interface LegendEntry { colour: number; label: string; hover?: string; source?: number }
export interface Legend { entries: LegendEntry[]; ramp?: { from: string; to: string; colours: number[] } }

function hex(text: string): number {
  const v = parseInt(text, 16);
  return rgb(v >> 16, (v >> 8) & 255, v & 255);
}

export function css(colour: number): string {
  return `rgb(${colour & 255},${(colour >> 8) & 255},${(colour >> 16) & 255})`;
}

// No greens, oranges or reds: those mean fork, join and critical path.
const kCategories = ["4c86c6", "a06cd5", "d9b13b", "3b4f9a", "d26fa6", "8d6e52", "7fb5e6", "6d5bb0", "b6b04a", "5d7380", "b98bd9", "9aa5b1"].map(hex);
const kOther = hex("8a939d");
export const kFork = hex("3aa655");
export const kJoin = hex("e8912d");
export const kBookkeeping = hex("2fb8b3");
const kAggregate = hex("77808a");
const kRamp = ["26355f", "2c5a8a", "2a7f9c", "3ea39a", "83c283", "cbd968", "f6e34a"].map(hex); // short to long
const kKindColours: Record<number, number> = {
  [GrainKind.initial]: hex("5d7380"), [GrainKind.implicit]: hex("9aa5b1"), [GrainKind.share]: hex("8d6e52"),
  [GrainKind.chunk]: hex("a06cd5"), [GrainKind.task]: hex("4c86c6"),
};

function mix(a: number, b: number, share: number): number {
  const one = (shift: number) => Math.round(((a >> shift) & 255) * (1 - share) + ((b >> shift) & 255) * share) << shift;
  return one(0) | one(8) | one(16);
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
  private readonly shortest: number;
  private readonly longest: number;

  constructor(private readonly model: Model) {
    const order = model.sources.map((_, i) => i).sort((a, b) => model.sources[b].exec - model.sources[a].exec);
    this.bySource = new Array<number>(order.length).fill(kOther);
    order.slice(0, kCategories.length).forEach((source, rank) => (this.bySource[source] = kCategories[rank]));
    let shortest = Infinity;
    let longest = 1;
    const { exec } = model.grains;
    for (let g = 0; g < exec.length; g++) {
      if (exec[g] <= 0 || model.grains.kind[g] === GrainKind.implicit) continue;
      if (exec[g] < shortest) shortest = exec[g];
      if (exec[g] > longest) longest = exec[g];
    }
    this.shortest = Math.min(shortest, longest);
    this.longest = longest;
  }

  ofSource(source: number): number { return source === kNone ? kOther : this.bySource[source] ?? kOther; }

  private ofThread(thread: number): number {
    if (thread === kNone) return kOther;
    const n = this.model.meta.threads.length;
    return n <= kCategories.length ? kCategories[thread % kCategories.length] : hue(thread, n);
  }

  private ofTime(ns: number): number {
    if (ns <= 0 || this.longest <= this.shortest) return kRamp[0];
    const at = (Math.log(ns / this.shortest) / Math.log(this.longest / this.shortest)) * (kRamp.length - 1);
    const k = Math.max(0, Math.min(kRamp.length - 2, Math.floor(at)));
    return mix(kRamp[k], kRamp[k + 1], Math.max(0, Math.min(1, at - k)));
  }

  ofNode(node: number, mode: ColourMode): number {
    const { nodes, grains } = this.model;
    const kind = nodes.kind[node];
    if (kind === NodeKind.fork) return kFork;
    if (kind === NodeKind.join || kind === NodeKind.joint) return kJoin;
    if (kind === NodeKind.bookkeeping) return kBookkeeping;
    const grain = nodes.grain[node];
    if (mode === "thread") return this.ofThread(nodes.thread[node]);
    if (mode === "kind") return kind === NodeKind.aggregate || grain === kNone ? kAggregate : kKindColours[grains.kind[grain]];
    if (mode === "time") return this.ofTime(kind === NodeKind.aggregate || grain === kNone ? nodes.weight[node] : grains.exec[grain]);
    const source = grain === kNone || grains.source[grain] === kNone ? nodes.source[node] : grains.source[grain];
    return this.ofSource(source);
  }

  // One colour a node; where `lit` is given, all others are dimmed towards the background.
  paint(mode: ColourMode, lit: Uint8Array | null, background: number): Uint32Array {
    const out = new Uint32Array(this.model.nodes.count);
    for (let i = 0; i < out.length; i++) {
      const colour = this.ofNode(i, mode);
      out[i] = lit && !lit[i] ? mix(colour, background, 0.82) : colour;
    }
    return out;
  }

  legend(mode: ColourMode): Legend {
    const { model } = this;
    const structure: LegendEntry[] = [
      { colour: kFork, label: "fork", hover: "A task is created here, or a team of threads begins." },
      { colour: kJoin, label: "join", hover: "Work is waited for here: taskwait, taskgroup, barrier, end of a loop or region." },
    ];
    const { kind } = model.nodes;
    if (kind.includes(NodeKind.bookkeeping))
      structure.push({ colour: kBookkeeping, label: "book-keeping", hover: "A thread fetches its next iterations of a loop." });
    if (kind.includes(NodeKind.joint))
      structure.push({ colour: kJoin, label: "joint", hover: "Stands for a set of tasks that others depend on." });
    if (mode === "kind") {
      const seen = new Set<number>(model.grains.kind);
      seen.delete(GrainKind.implicit);
      return { entries: [...[...seen].sort((a, b) => b - a).map((k) => ({ colour: kKindColours[k], label: kGrainKindNames[k] })), ...structure] };
    }
    if (mode === "time")
      return { entries: structure, ramp: { from: time(this.shortest), to: time(this.longest), colours: kRamp } };
    if (mode === "thread") {
      const n = model.meta.threads.length;
      const entries = model.meta.threads.slice(0, 24).map((t, i) => ({ colour: this.ofThread(i), label: `thread ${i}`, hover: `operating system thread ${t.os_tid}` }));
      if (n > 24) entries.push({ colour: kOther, label: `and ${n - 24} more`, hover: "" });
      return { entries: [...entries, ...structure] };
    }
    const order = model.sources.map((_, i) => i).filter((i) => model.sources[i].grains > 0)
      .sort((a, b) => model.sources[b].exec - model.sources[a].exec);
    const entries: LegendEntry[] = order.slice(0, kCategories.length).map((i) => ({
      colour: this.ofSource(i), label: model.placeOf(i), hover: model.sources[i].function, source: i,
    }));
    if (order.length > entries.length) entries.push({ colour: kOther, label: "other", hover: "All further sources." });
    return { entries: [...entries, ...structure] };
  }
}
