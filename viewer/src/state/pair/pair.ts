// Two recordings that are compared: a store for each, which tell each other what is done to them, and what is the same
// in both by the names of grains that do not depend on the schedule.
import { kNone, Model } from "../../data/model";
import type { LineChange, PairMeta, PairPage, Part } from "../../data/page";
import { dispatch } from "../actions";
import { Store } from "../store";
import { grainChange, lineChange, withAll } from "./change";
import { kSides, SideName } from "./sides";

const kNotDrawn = kNone - 1; // the grain is there, inside of an aggregate (src/report/page/pair.cpp)

export class Pair {
  readonly meta: PairMeta;
  readonly stores: Record<SideName, Store>;
  readonly matches: Record<SideName, Uint32Array>; // by grain: the other side's; kNone: in this one only
  active: SideName = "after"; // which was clicked last: keys and panels are about it
  together = true; // the pictures move together
  stacked = false; // one above the other
  private readonly lines: Record<SideName, Map<number, LineChange>>; // by source and kind

  constructor(page: PairPage, after: Part) {
    this.meta = page.meta;
    this.matches = { before: page.columns.u32("before.match"), after: page.columns.u32("after.match") };
    this.lines = { before: new Map(), after: new Map() };
    const whole = Math.max(page.before.meta.wall_ns, after.meta.wall_ns);
    const open = ({ meta, columns, metrics }: Part) => new Store(new Model(meta, columns, metrics), whole);
    this.stores = { before: open(page.before), after: open(after) };
    const sources: Record<SideName, Map<number, number>> = { before: new Map(), after: new Map() };
    for (const line of this.meta.lines) {
      const { before_source: before, after_source: after } = line;
      if (before !== undefined) this.lines.before.set(before, line);
      if (after !== undefined) this.lines.after.set(after, line);
      if (before === undefined || after === undefined) continue;
      sources.before.set(before, after);
      sources.after.set(after, before);
    }
    const pair = this;
    for (const side of kSides)
      this.stores[side].peer = {
        store: this.other(side),
        get together() {
          return pair.together;
        },
        grain: (grain) => this.counterpart(side, grain),
        source: (source) => sources[side].get(source) ?? kNone,
      };
    const [before, second] = [this.stores.before, this.stores.after];
    before.colours.takeOver(second.colours, (source) => sources.before.get(source) ?? kNone);
    this.addMetrics();
  }

  other(side: SideName): Store {
    return this.stores[side === "before" ? "after" : "before"];
  }
  get shown(): Store {
    return this.stores[this.active];
  }

  // kNone where there is none, or none that is drawn.
  counterpart(side: SideName, grain: number): number {
    const there = this.matches[side][grain];
    return there >= kNotDrawn ? kNone : there;
  }

  onlyHere(side: SideName, grain: number): boolean {
    return this.stores[side].model.isGrain(grain) && this.matches[side][grain] === kNone;
  }
  isNotDrawnThere(side: SideName, grain: number): boolean {
    return this.matches[side][grain] === kNotDrawn;
  }

  lineOf(side: SideName, source: number): LineChange | undefined {
    return this.lines[side].get(source);
  }

  // Grains that the other recording does not have, as a highlight.
  showOnly(side: SideName): void {
    const set = (s: SideName) =>
      Uint8Array.from({ length: this.stores[s].model.grains.count }, (_, g) => (this.onlyHere(s, g) ? 1 : 0));
    const none = new Uint8Array(this.other(side).model.grains.count);
    dispatch(this.stores[side], { type: "grains", grains: set(side), what: `only ${side}`, there: none });
  }

  choose(side: SideName): void {
    if (this.active === side) return;
    this.active = side;
    this.stores[side].notify();
  }

  setTogether(together: boolean): void {
    this.together = together;
    this.shown.notify();
  }

  setStacked(stacked: boolean): void {
    this.stacked = stacked;
    this.shown.notify();
  }

  // The same metrics in both, to one scale, and those of change before all others.
  private addMetrics(): void {
    const { before, after } = this.stores;
    const all = withAll(before, after);
    for (const side of kSides) {
      const store = this.stores[side];
      const own = all[side].filter((m) => m.key !== "work_deviation"); // the change of a grain is the same, on both sides
      const changes = !this.meta.times
        ? []
        : this.meta.per_grain
          ? [grainChange(this, side), lineChange(this, side)]
          : [lineChange(this, side)];
      store.metrics.splice(0, store.metrics.length, ...own, ...changes);
      store.histogram = store.metrics[0];
    }
    for (const m of before.metrics) {
      const there = after.metric(m.key)!;
      m.beside = there;
      there.beside = m;
    }
    // What changed is what is seen first; by lines where most grains are too short to say.
    const [grain, line] = [after.metric("change"), after.metric("line_change")];
    const inBoth = this.matches.after.reduce(
      (n, there, g) => n + (there < kNotDrawn && after.model.isGrain(g) ? 1 : 0),
      0,
    );
    const first = grain && grain.stats.present * 2 >= inBoth ? grain : line;
    if (!first) return;
    for (const side of kSides) {
      this.stores[side].colouring = this.stores[side].metric(first.key)!;
      this.stores[side].usualColouring = first.key;
    }
  }
}
