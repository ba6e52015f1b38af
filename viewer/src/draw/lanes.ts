// Each thread's fragments by time, so that any stretch of time can be drawn at once: sums over runs of 16 give the mean
// colour of a pixel that millions of fragments lie in, exactly and without looking at them.
import { kNone, Model, NodeKind } from "../data/model";

const kRun = 16;

// Indices in the order of `key` (>= 0, below 2^53): a radix sort, linear.
function sorted(indices: Uint32Array, key: Float64Array): Uint32Array {
  let most = 0;
  for (const i of indices) if (key[i] > most) most = key[i];
  let from = indices;
  let to = new Uint32Array(indices.length);
  const count = new Uint32Array(65537);
  for (let scale = 1; scale <= most; scale *= 65536) {
    count.fill(0);
    for (const i of from) count[(Math.floor(key[i] / scale) % 65536) + 1]++;
    for (let d = 0; d < 65536; d++) count[d + 1] += count[d];
    for (const i of from) to[count[Math.floor(key[i] / scale) % 65536]++] = i;
    [from, to] = [to, from === indices ? new Uint32Array(indices.length) : from];
  }
  return from;
}

interface LaneRow {
  first: number; // in Lanes.order
  count: number;
  cpus: number[]; // that its grains began on, the most frequent first
  nodes: number[]; // memory nodes of them
}

export class Lanes {
  readonly order: Uint32Array; // nodes of the full graph that execute: by thread, then by time
  readonly begin: Float64Array; // of each, ns
  readonly end: Float64Array;
  readonly rows: LaneRow[] = [];
  readonly aggregated: boolean; // the graph was cut: when its parts ran is not known
  private colour = new Uint32Array(0);
  private sums = new Float64Array(0); // r, g, b, ns before each run

  constructor(private readonly model: Model) {
    const { nodes } = model;
    const threads = model.meta.threads.length;
    this.aggregated = nodes.kind.includes(NodeKind.aggregate);
    const executes = (i: number) =>
      (nodes.kind[i] === NodeKind.fragment || nodes.kind[i] === NodeKind.chunk) &&
      nodes.begin[i] >= 0 &&
      nodes.weight[i] > 0 &&
      nodes.thread[i] < threads;
    const start = new Uint32Array(threads + 1);
    if (!this.aggregated) for (let i = 0; i < nodes.count; i++) if (executes(i)) start[nodes.thread[i] + 1]++;
    for (let t = 0; t < threads; t++) start[t + 1] += start[t];
    this.order = new Uint32Array(start[threads]);
    const cursor = start.slice();
    if (!this.aggregated)
      for (let i = 0; i < nodes.count; i++) if (executes(i)) this.order[cursor[nodes.thread[i]]++] = i;
    for (let t = 0; t < threads; t++) {
      const part = this.order.subarray(start[t], start[t + 1]);
      part.set(sorted(part.slice(), nodes.begin));
      this.rows.push({ first: start[t], count: part.length, cpus: [], nodes: [] });
    }
    this.begin = new Float64Array(this.order.length);
    this.end = new Float64Array(this.order.length);
    for (let k = 0; k < this.order.length; k++) {
      this.begin[k] = nodes.begin[this.order[k]];
      this.end[k] = this.begin[k] + nodes.weight[this.order[k]];
    }
    this.findPlaces();
  }

  private findPlaces(): void {
    const { grains, meta } = this.model;
    const cpus = meta.threads.map(() => new Map<number, number>());
    const nodes = meta.threads.map(() => new Map<number, number>());
    const count = (to: Map<number, number> | undefined, what: number) => {
      if (to && what !== 0xffff) to.set(what, (to.get(what) ?? 0) + 1);
    };
    for (let g = 0; g < grains.count; g++) {
      if (grains.thread[g] === kNone || grains.fragments[g] === 0) continue;
      count(cpus[grains.thread[g]], grains.cpu[g]);
      count(nodes[grains.thread[g]], grains.node[g]);
    }
    const ranked = (m: Map<number, number>) => [...m].sort((a, b) => b[1] - a[1]).map(([what]) => what);
    this.rows.forEach((row, t) => {
      row.cpus = ranked(cpus[t]);
      row.nodes = ranked(nodes[t]);
    });
  }

  // `colour`: by node of the full graph.
  paint(colour: Uint32Array): void {
    const n = this.order.length;
    if (this.colour.length !== n) this.colour = new Uint32Array(n);
    for (let k = 0; k < n; k++) this.colour[k] = colour[this.order[k]];
    const runs = Math.ceil(n / kRun) + 1;
    if (this.sums.length !== runs * 4) this.sums = new Float64Array(runs * 4);
    let r = 0,
      g = 0,
      b = 0,
      ns = 0;
    for (let k = 0; k < n; k++) {
      if (k % kRun === 0) this.store(k / kRun, r, g, b, ns);
      const c = this.colour[k];
      const w = this.end[k] - this.begin[k];
      r += (c & 255) * w;
      g += ((c >> 8) & 255) * w;
      b += ((c >> 16) & 255) * w;
      ns += w;
    }
    if (n % kRun === 0) this.store(n / kRun, r, g, b, ns);
  }

  private store(run: number, r: number, g: number, b: number, ns: number): void {
    this.sums[run * 4] = r;
    this.sums[run * 4 + 1] = g;
    this.sums[run * 4 + 2] = b;
    this.sums[run * 4 + 3] = ns;
  }

  // Adds fragments [from, to) to `out` (r, g, b, ns), all of each.
  private addWhole(from: number, to: number, out: Float64Array): void {
    const { sums } = this;
    let k = from;
    for (; k < to && k % kRun !== 0; k++) this.addPart(k, this.begin[k], this.end[k], out);
    const lastRun = Math.floor(to / kRun);
    if (k < to && k / kRun < lastRun) {
      const a = (k / kRun) * 4;
      const b = lastRun * 4;
      for (let i = 0; i < 4; i++) out[i] += sums[b + i] - sums[a + i];
      k = lastRun * kRun;
    }
    for (; k < to; k++) this.addPart(k, this.begin[k], this.end[k], out);
  }

  private addPart(k: number, from: number, to: number, out: Float64Array): void {
    const w = to - from;
    if (w <= 0) return;
    const c = this.colour[k];
    out[0] += (c & 255) * w;
    out[1] += ((c >> 8) & 255) * w;
    out[2] += ((c >> 16) & 255) * w;
    out[3] += w;
  }

  // The first fragment of a row, at or after `from`, that ends after `t`.
  firstEndingAfter(row: LaneRow, t: number, from = row.first): number {
    let low = from;
    let high = row.first + row.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.end[middle] > t) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  // What a thread executed in [from, to): sum of colours by time, and the time. Returns the fragment to go on with.
  sum(row: LaneRow, from: number, to: number, start: number, out: Float64Array): number {
    out.fill(0);
    const past = row.first + row.count;
    let k = start;
    if (k >= past || this.begin[k] >= to) return k;
    if (this.end[k] > to) {
      this.addPart(k, Math.max(from, this.begin[k]), to, out);
      return k;
    }
    this.addPart(k, Math.max(from, this.begin[k]), this.end[k], out);
    k++;
    // Few are looked at one by one, more are found by halving.
    let last = k;
    while (last < past && this.end[last] <= to && last - k < 8) last++;
    if (last - k === 8) last = this.firstEndingAfter(row, to, last);
    this.addWhole(k, last, out);
    if (last < past && this.begin[last] < to) this.addPart(last, Math.max(from, this.begin[last]), to, out);
    return last;
  }

  // The fragment that a thread executed at `t`, with some tolerance; -1: none.
  at(row: LaneRow, t: number, slack: number): number {
    const k = this.firstEndingAfter(row, t - slack);
    return k < row.first + row.count && this.begin[k] <= t + slack ? k : -1;
  }
}
