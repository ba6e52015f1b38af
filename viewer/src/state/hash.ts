// The view in the address: a link shows the same view, place, grain, colours and highlight again.

import { kNone } from "../data/model";
import { Form, kForms } from "../data/scene";
import { dispatch } from "./actions";
import { Store, ViewName } from "./store";

type Put = (key: string, value: string | number) => void;

// `more`: what else is to be kept.
export function addressOf(store: Store, more: (put: Put) => void = () => {}): string {
  const { view, timeView } = store;
  const parts: string[] = [];
  const put: Put = (key, value) => parts.push(`${key}=${encodeURIComponent(value)}`);
  if (store.shown !== store.usualView) put("v", store.shown);
  if (store.scene.form !== store.usualForm) put("form", store.scene.form);
  if (store.scene.form === "grains") put("level", store.form.level);
  if (store.form.collapsed.size > 0) put("shut", [...store.form.collapsed].join("."));
  if (store.form.opened.size > 0) put("open", [...store.form.opened].join("."));
  if (store.colouringKey !== store.usualColouring) put("c", store.colouringKey);
  for (const m of store.metrics) if (m.bad && m.threshold !== m.description.threshold) put(`t.${m.key}`, m.threshold);
  if (view.zoom !== 0 || view.x !== (view.extent.left + view.extent.right) / 2) {
    put("x", Math.round(view.x));
    put("y", Math.round(view.y));
    put("z", view.zoom.toFixed(3));
  }
  if (!timeView.whole) put("time", `${Math.round(timeView.from)}-${Math.round(timeView.to)}`);
  if (store.selectedGrain !== kNone) put("g", store.selectedGrain);
  if (store.selectedNode >= 0) put("n", store.selectedNode);
  if (!store.showCritical) put("critical", 0);
  if (!store.showDependences) put("depend", 0);
  if (store.histogram && store.histogram !== store.metrics[0]) put("m", store.histogram.key);
  if (store.codeletGraph > 0) put("cg", store.codeletGraph);
  if (store.codelet >= 0) put("cl", store.codelet);
  if (store.query) put("f", store.query);
  if (store.source !== kNone) put("s", store.source);
  if (store.problem >= 0) put("p", store.problem + 1);
  if (store.range) put("r", `${store.range.metric.key}:${store.range.from}:${store.range.to}`);
  if (store.themeName !== "auto") put("theme", store.themeName);
  more(put);
  return parts.length ? `#${parts.join("&")}` : "";
}

export function writeHash(hash: string): void {
  if (hash !== location.hash) history.replaceState(null, "", hash || location.pathname + location.search);
}

// What an address says, key by key; what it says wrongly is not there.
export class Said {
  private readonly values = new Map<string, string>();

  constructor(hash: string) {
    for (const part of hash.replace(/^#/, "").split("&")) {
      const at = part.indexOf("=");
      if (at <= 0) continue;
      try {
        this.values.set(part.slice(0, at), decodeURIComponent(part.slice(at + 1)));
      } catch {
        // A mangled link: the rest of it still counts.
      }
    }
  }

  text(key: string): string {
    return this.values.get(key) ?? "";
  }

  number(key: string): number | null {
    const v = this.text(key);
    return v === "" || !Number.isFinite(Number(v)) ? null : Number(v);
  }

  // A whole number in [0, end).
  index(key: string, end: number): number | null {
    const v = this.number(key);
    return v !== null && isIndex(v, end) ? v : null;
  }

  // Several, with a mark between them.
  numbers(key: string, mark: string): number[] {
    return this.text(key)
      .split(mark)
      .filter((v) => v !== "")
      .map(Number);
  }
}

function isIndex(v: number, end: number): boolean {
  return Number.isInteger(v) && v >= 0 && v < end;
}

export function readHash(store: Store, said: Said): void {
  const { model } = store;
  const grains = (key: string) => said.numbers(key, ".").filter((g) => isIndex(g, model.grains.count));

  const theme = said.text("theme");
  if (theme === "light" || theme === "dark") dispatch(store, { type: "theme", name: theme });
  for (const m of store.metrics) {
    const value = m.bad ? said.number(`t.${m.key}`) : null;
    if (value !== null) dispatch(store, { type: "threshold", metric: m.key, value });
  }
  const form = (said.text("form") || store.usualForm) as Form;
  if (kForms.includes(form) && form !== "nodes") {
    const level = said.index("level", store.facts.deepest + 1) ?? undefined;
    dispatch(store, { type: "form", form, level, collapsed: grains("shut"), opened: grains("open") });
  }
  const problem = said.number("p");
  const chosen = problem !== null && isIndex(problem - 1, model.meta.problems.length);
  const source = said.index("s", model.sources.length);
  const [metric, from, to] = said.text("r").split(":");
  const text = said.text("f");
  if (text) dispatch(store, { type: "find", text });
  else if (chosen) dispatch(store, { type: "problem", index: problem - 1 });
  else if (source !== null) dispatch(store, { type: "source", source });
  else if (to !== undefined && !Number.isNaN(Number(from)) && !Number.isNaN(Number(to)))
    dispatch(store, { type: "range", metric, from: Number(from), to: Number(to) });
  const colours = said.text("c");
  if (colours || problem !== null) dispatch(store, { type: "colours", by: colours || store.usualColouring });
  const histogram = said.text("m");
  if (histogram) dispatch(store, { type: "histogram", metric: histogram });
  const graph = said.index("cg", model.codeletGraphs.length);
  if (graph !== null) dispatch(store, { type: "codelet graph", index: graph });
  const codelet = said.number("cl");
  if (codelet !== null) dispatch(store, { type: "codelet", index: codelet });
  if (said.text("critical") === "0") dispatch(store, { type: "critical", on: false });
  if (said.text("depend") === "0") dispatch(store, { type: "dependences", on: false });
  const grain = said.index("g", model.grains.count) ?? undefined;
  const node = said.index("n", store.scene.nodes.count);
  if (node !== null) dispatch(store, { type: "select node", node, grain });
  else if (grain !== undefined) dispatch(store, { type: "select grain", grain, centre: false });
  const [x, y, zoom] = ["x", "y", "z"].map((key) => said.number(key));
  if (problem !== null && zoom === null) dispatch(store, { type: "fit" }); // it was left for the whole again
  if (x !== null && y !== null && zoom !== null) dispatch(store, { type: "look", x, y, zoom });
  const [begin, end] = said.numbers("time", "-");
  dispatch(store, { type: "look at time", from: begin, to: end });
  const view = (said.text("v") || store.usualView) as ViewName;
  if (store.views.includes(view)) dispatch(store, { type: "show", view });
}
