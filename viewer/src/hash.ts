// The view in the address: a link shows the same view, place, grain, colours and highlight again.
import { kNone } from "./model";
import { Form, kForms } from "./scene";
import { kViews, Store, ViewName } from "./store";
import type { ThemeName } from "./ui/theme";

type Put = (key: string, value: string | number) => void;

// `more`: what else is to be kept.
export function writeHash(store: Store, more: (put: Put) => void = () => {}): void {
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
  if (store.query) put("f", store.query);
  if (store.source !== kNone) put("s", store.source);
  if (store.problem >= 0) put("p", store.problem + 1);
  if (store.range) put("r", `${store.range.metric.key}:${store.range.from}:${store.range.to}`);
  if (store.themeName !== "auto") put("theme", store.themeName);
  more(put);
  const hash = parts.length ? "#" + parts.join("&") : "";
  if (hash !== location.hash) history.replaceState(null, "", hash || location.pathname + location.search);
}

export function hashValues(): Map<string, string> {
  const values = new Map<string, string>();
  for (const part of location.hash.slice(1).split("&")) {
    const at = part.indexOf("=");
    if (at <= 0) continue;
    try {
      values.set(part.slice(0, at), decodeURIComponent(part.slice(at + 1)));
    } catch {
      // A mangled link: the rest of it still counts.
    }
  }
  return values;
}

export function readHash(store: Store): void {
  const { model } = store;
  const values = hashValues();
  const number = (key: string): number | null => {
    const v = values.get(key);
    return v === undefined || v === "" || !Number.isFinite(Number(v)) ? null : Number(v);
  };
  const within = (v: number | null, end: number): v is number => v !== null && Number.isInteger(v) && v >= 0 && v < end;
  const grains = (key: string) => (values.get(key) ?? "").split(".").filter((t) => t !== "").map(Number).filter((v) => within(v, model.grains.count));

  const themeName = values.get("theme");
  if (themeName === "light" || themeName === "dark") store.setTheme(themeName as ThemeName);
  for (const m of store.metrics) {
    const threshold = m.bad ? number(`t.${m.key}`) : null;
    if (threshold !== null) m.setThreshold(threshold);
  }
  const form = (values.get("form") as Form | undefined) ?? store.usualForm;
  if (kForms.includes(form) && form !== "nodes") {
    const level = number("level");
    if (within(level, store.facts.deepest + 1)) store.form.level = level;
    grains("shut").forEach((g) => store.form.collapsed.add(g));
    grains("open").forEach((g) => store.form.opened.add(g));
    store.setForm(form);
  }
  const problem = number("p");
  const source = number("s");
  const [key, from, to] = (values.get("r") ?? "").split(":");
  const ranged = store.metric(key);
  if (values.get("f")) store.setQuery(values.get("f")!);
  else if (problem !== null && within(problem - 1, model.meta.problems.length)) store.chooseProblem(problem - 1);
  else if (within(source, model.sources.length)) store.highlightSource(source);
  else if (ranged && from !== undefined && to !== undefined && !Number.isNaN(Number(from)) && !Number.isNaN(Number(to))) store.setRange(ranged, Number(from), Number(to));
  const colours = values.get("c");
  if (colours || values.has("p")) store.setColouring(colours ?? store.usualColouring);
  const histogram = values.get("m");
  if (histogram) store.setHistogram(histogram);
  if (values.get("critical") === "0" && store.showCritical) store.toggleCritical();
  if (values.get("depend") === "0" && store.showDependences) store.toggleDependences();
  const grain = number("g");
  const node = number("n");
  if (within(node, store.scene.nodes.count)) store.selectNode(node, false, within(grain, model.grains.count) ? grain : undefined);
  else if (within(grain, model.grains.count)) store.selectGrain(grain, false);
  const x = number("x");
  const y = number("y");
  const zoom = number("z");
  if (problem !== null && zoom === null) store.fit(); // it was left for the whole again
  if (x !== null && y !== null && zoom !== null) store.look(x, y, zoom);
  const [begin, end] = (values.get("time") ?? "").split("-").map(Number);
  store.timeView.look(begin, end);
  const shown = (values.get("v") as ViewName | undefined) ?? store.usualView;
  if (kViews.includes(shown)) store.show(shown);
}
