// The view in the address: a link shows the same place, grain and colours again.
import { ColourMode, kColourModes } from "./colours";
import { kNone } from "./model";
import type { Store } from "./store";

export function writeHash(store: Store): void {
  const { view } = store;
  const parts: string[] = [];
  if (view.zoom !== 0 || view.x !== (view.extent.left + view.extent.right) / 2)
    parts.push(`x=${Math.round(view.x)}`, `y=${Math.round(view.y)}`, `z=${view.zoom.toFixed(3)}`);
  if (store.selectedNode >= 0) parts.push(`n=${store.selectedNode}`);
  if (store.selectedGrain !== kNone && store.selectedGrain !== store.model.nodes.grain[store.selectedNode]) parts.push(`g=${store.selectedGrain}`);
  if (store.mode !== "source") parts.push(`c=${store.mode}`);
  if (!store.showCritical) parts.push("critical=0");
  if (store.query) parts.push(`f=${encodeURIComponent(store.query)}`);
  const hash = parts.length ? "#" + parts.join("&") : "";
  if (hash !== location.hash) history.replaceState(null, "", hash || location.pathname + location.search);
}

export function readHash(store: Store): void {
  const values = new Map<string, string>();
  for (const part of location.hash.slice(1).split("&")) {
    const at = part.indexOf("=");
    if (at > 0) values.set(part.slice(0, at), part.slice(at + 1));
  }
  const number = (key: string): number | null => {
    const v = values.get(key);
    return v === undefined || !Number.isFinite(Number(v)) ? null : Number(v);
  };
  const mode = values.get("c");
  if (mode && (kColourModes as string[]).includes(mode)) store.setMode(mode as ColourMode);
  if (values.get("critical") === "0" && store.showCritical) store.toggleCritical();
  const query = values.get("f");
  if (query) {
    try {
      store.setQuery(decodeURIComponent(query));
    } catch {
      // A mangled link: the rest of it still counts.
    }
  }
  const node = number("n");
  const grain = number("g");
  const within = (v: number | null, end: number): v is number => v !== null && Number.isInteger(v) && v >= 0 && v < end;
  if (within(grain, store.model.grains.count)) store.selectGrain(grain, false);
  else if (within(node, store.model.nodes.count)) store.selectNode(node, false);
  const x = number("x");
  const y = number("y");
  const zoom = number("z");
  if (x !== null && y !== null && zoom !== null) {
    store.view.zoom = 0;
    store.view.zoomAt(0, 0, zoom);
    store.view.centre(x, y, false);
    store.moved();
  }
}
