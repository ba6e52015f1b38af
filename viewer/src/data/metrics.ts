// The metrics of grains: what each is called, means, and from where on it tells of a problem (src/profile/metrics.h);
// and each grain's value. All of them come from the page's data: a new one in the tool's table appears here by itself.
import { count, digits, time } from "./format";
import { GrainKind, Model } from "./model";
import type { MetricDescription } from "./page";

interface MetricStats {
  present: number; // grains that have a value
  low: number; // smallest and largest value of those that are not absent; of times the smallest above zero
  high: number;
  problems: number; // grains on the bad side of the threshold
  problemExec: number; // their execution time, ns
}

// Of a metric that says how a recording changed to another one.
export interface Change {
  values(): Float64Array; // by grain, after over before
  together(grains: ArrayLike<number>): number; // of several: sum over sum; NaN: not known
  inOneOnly(grains: ArrayLike<number>): boolean; // of all of them: the other recording has none
}

export class Metric {
  change: Change | null = null;
  beside: Metric | null = null; // the same metric of another recording: both to one scale
  readonly key: string;
  readonly name: string;
  readonly unit: string;
  readonly bad: "below" | "above" | null;
  readonly logarithmic: boolean;
  threshold: number; // NaN where bad is null
  private column: ArrayLike<number> | null = null;
  private known: MetricStats | null = null;

  constructor(
    readonly description: MetricDescription,
    private readonly model: Model,
  ) {
    this.key = description.key;
    this.name = description.name;
    this.unit = description.unit;
    this.bad = description.bad ?? null;
    this.logarithmic = description.scale === "logarithmic";
    this.threshold = description.threshold ?? NaN;
  }

  // By grain; NaN: absent.
  get values(): ArrayLike<number> {
    if (!this.column) this.column = this.derived() ?? this.stored();
    return this.column;
  }

  private stored(): Float32Array {
    const name = `metric.${this.key}`;
    const { metricColumns, grains } = this.model;
    return metricColumns.has(name) ? metricColumns.f32(name) : new Float32Array(grains.count).fill(NaN);
  }

  // What the grains' own columns hold is not stored twice.
  private derived(): Float64Array | null {
    if (this.change) return this.change.values();
    const { grains } = this.model;
    const of = this.key === "exec" ? grains.exec : this.key === "creation" ? grains.createCost : null;
    if (!of) return null;
    const { kinds } = this.description;
    const out = new Float64Array(of.length);
    for (let g = 0; g < out.length; g++) out[g] = of[g] < 0 || !((kinds >> grains.kind[g]) & 1) ? NaN : of[g];
    return out;
  }

  isProblem(value: number): boolean {
    // NaN never is
    return this.bad === "below" ? value < this.threshold : this.bad === "above" && value > this.threshold;
  }

  get stats(): MetricStats {
    if (this.known) return this.known;
    const { values } = this;
    const { exec, kind } = this.model.grains;
    const out: MetricStats = { present: 0, low: Infinity, high: -Infinity, problems: 0, problemExec: 0 };
    for (let g = 0; g < values.length; g++) {
      const v = values[g];
      if (Number.isNaN(v) || kind[g] < GrainKind.share) continue;
      out.present++;
      if (v > out.high && v !== Infinity) out.high = v;
      if (v < out.low && (v > 0 || !this.logarithmic)) out.low = v;
      if (this.isProblem(v)) {
        out.problems++;
        out.problemExec += exec[g];
      }
    }
    if (out.low > out.high) out.low = out.high = out.present > 0 ? 0 : NaN;
    return (this.known = out);
  }

  // Of all grains, those that a cut graph leaves out included, as long as the threshold is the tool's.
  get counts(): { present: number; problems: number; problemExec: number } {
    const d = this.description;
    if (this.threshold === d.threshold)
      return { present: d.present ?? 0, problems: d.problems ?? 0, problemExec: d.problem_exec ?? 0 };
    return this.stats;
  }

  setThreshold(value: number): void {
    this.threshold = value;
    this.known = null;
  }

  // Of both recordings where there are two.
  get range(): { low: number; high: number } {
    const { low, high } = this.stats;
    const other = this.beside?.stats;
    if (!other || other.present === 0) return { low, high };
    return this.stats.present === 0 ? other : { low: Math.min(low, other.low), high: Math.max(high, other.high) };
  }

  // From the mildest problem (0) to the worst (1); of metrics without a threshold from the smallest to the largest
  // value.
  get severity(): (value: number) => number {
    if (this.change) return (value) => Math.max(0, Math.min(1, 0.5 + Math.log2(Math.max(value, 1e-9)) / 2)); // half to twice
    const { low, high } = this.range;
    const from = this.bad ? this.threshold : low;
    const to = this.bad === "below" ? low : high;
    if (from === to) return () => 1;
    const log = this.logarithmic && from > 0 && to > 0;
    const start = log ? Math.log(from) : from;
    const span = (log ? Math.log(to) : to) - start;
    return (value) => Math.max(0, Math.min(1, ((log ? Math.log(Math.max(value, 1e-30)) : value) - start) / span));
  }

  format(value: number): string {
    return formatMetric(value, this.unit);
  }

  get limit(): string {
    return this.bad ? `${this.bad} ${this.format(this.threshold)}` : "";
  }
}

export function formatMetric(value: number, unit: string): string {
  if (Number.isNaN(value)) return "not known";
  if (value === Infinity) return "∞";
  if (unit === "ns") return value < 0 ? `-${time(-value)}` : time(value);
  const number = Number.isInteger(value) ? count(value) : Math.abs(value) < 1 ? value.toPrecision(2) : digits(value);
  const one = value === 1 ? unit.replace(/s$/, "") : unit;
  return unit ? `${number} ${one}` : number;
}

// What hovering over a metric's name says.
export function explain(m: MetricDescription): string {
  const bad = m.bad
    ? `\nA problem ${m.bad} ${formatMetric(m.threshold ?? NaN, m.unit)}${m.reason ? `: ${m.reason}` : ""}.`
    : "";
  return `${m.name}: ${m.definition}${bad}${m.origin ? `\n(${m.origin})` : ""}`;
}

// Of grains, in the table's order, those that some grain has a value of.
export function grainMetrics(model: Model): Metric[] {
  return (model.meta.metrics ?? []).filter((m) => m.level === "grain" && m.present).map((m) => new Metric(m, model));
}
