// A page from `einkorn view`, of a recording that is too large for one page: what is not drawn is asked of the server, and aggregates
// are opened as parts, each a page of its own. src/cli/view_server.cpp is the other side.
import { kNone, Model } from "./model";
import { extentOf } from "./scene";
import { Found, light } from "./search";
import type { Store } from "./store";

// Grains that are searched for, whether they are drawn or not.
export interface Inside {
  all: number; // grains in the recording
  here: number; // in this page: drawn, or inside of its aggregates
  nodes: Uint8Array; // per node of the page: one is in it
  hidden: number; // node of the graph with the first that is not drawn, or kNone
}

// As the server takes it: digits of an id, or sources with what else is asked of a grain.
export type Wanted = { id: string } | { sources: Uint8Array; kinds: number; leastDepth: number; remote: boolean };

export function isPartial({ meta }: Model): boolean { return meta.served === true && (meta.graph.cut !== undefined || meta.graph.part !== undefined); }

const kUp = "einkorn-up:"; // in the session: where a part was opened from
const kTyping = 150; // ms after the last key before the server is asked

export class Parts {
  opening = false; // another part is on its way
  asking = 0; // questions under way

  constructor(private readonly store: Store) {
    // The browser may keep a page as it was when it was left: waiting for the next.
    addEventListener("pageshow", (e) => { if (e.persisted) this.busy(false); });
  }

  // Whether a node stands for several, which can be opened.
  canOpen(node: number): boolean {
    const { store } = this;
    return node >= 0 && store.scene === store.full && store.model.firstOf !== null && store.model.nodes.members[node] > 1;
  }

  openNode(node: number): boolean {
    if (!this.canOpen(node)) return false;
    const { firstOf, scattered, nodes } = this.store.model;
    void this.open(firstOf![node], scattered?.[node] ? 1 : nodes.members[node]);
    return true;
  }

  // The part of the graph around a node of it, with the same highlighted. `count`: nodes to look at there, from that one on.
  async open(node: number, count = 1): Promise<void> {
    const { store } = this;
    if (this.opening) return;
    this.busy(true);
    try {
      const to = new URL(`${await ask(`where?node=${node}`)}${count > 1 ? `&of=${count}` : ""}`, location.href).href; // not a redirection: the way back is kept by the part's address
      const back = `${location.pathname}${location.search}${location.hash}`;
      if (to === location.href.replace(/#.*/, "")) { // this page: no other comes
        this.busy(false);
        return this.lookAt();
      }
      sessionStorage.setItem(kUp + to, back);
      const highlighted = store.query ? ["f", store.query] : store.problem >= 0 ? ["p", store.problem + 1] : store.source !== kNone ? ["s", store.source] : null;
      location.assign(to + (highlighted ? `#${highlighted[0]}=${encodeURIComponent(highlighted[1])}` : ""));
    } catch {
      this.busy(false); // the server has ended
    }
  }

  // To where this part was opened from.
  leave(): boolean {
    if (!this.store.model.meta.graph.part || this.opening) return false;
    this.busy(true);
    location.assign(sessionStorage.getItem(kUp + location.href.replace(/#.*/, "")) ?? "./");
    return true;
  }

  private busy(on: boolean): void {
    this.opening = on;
    document.documentElement.style.cursor = on ? "progress" : "";
    this.store.notify();
  }

  // Looks at the nodes that the address asks for; a single one is selected.
  lookAtAsked(): void {
    if (!location.hash.includes("x=")) this.lookAt(); // else it was left elsewhere
  }

  private lookAt(): void {
    const { store } = this;
    const { firstOf, scattered, nodes: { members, count } } = store.model;
    const asked = new URLSearchParams(location.search);
    if (!asked.has("at") || !firstOf) return;
    const at = Number(asked.get("at"));
    const end = at + Math.max(1, Number(asked.get("of")));
    const those = firstOf.reduce((out, first, i) => { out[i] = first < end && first + (scattered?.[i] ? 1 : members[i]) > at ? 1 : 0; return out; }, new Uint8Array(count));
    if (end > at + 1) store.view.frame(extentOf(store.full, those));
    else store.selectNode(those.indexOf(1), true);
  }

  // Adds what the server knows of grains that were searched for.
  async complete(found: Found): Promise<void> {
    const { store } = this;
    if (!found.wanted || !isPartial(store.model)) return;
    this.asking++;
    try {
      await new Promise((typed) => setTimeout(typed, kTyping));
      if (store.found !== found) return;
      const inside = await findInside(store.model, found.wanted);
      if (store.found !== found) return;
      found.inside = inside;
      const at = store.stop < 0 ? -1 : store.result?.stops[store.stop] ?? -1;
      store.result = light(store.model, store.scene, found);
      store.stop = store.result.stops.indexOf(at);
      store.repaint();
    } catch {
      // What is drawn stays found, and the page says that there may be more.
      if (store.found === found) found.unanswered = true;
    } finally {
      this.asking--;
      store.notify();
    }
  }
}

async function ask(what: string, body?: string): Promise<string> {
  const response = await fetch(what, body === undefined ? {} : { method: "POST", body });
  if (!response.ok) throw new Error(await response.text());
  return response.text();
}

async function findInside(model: Model, wanted: Wanted): Promise<Inside> {
  const { part } = model.meta.graph;
  const asked = new URLSearchParams({ first: String(part?.first ?? 0), count: String(part?.count ?? 0), kinds: "31", depth: "0", remote: "0" });
  if ("id" in wanted) asked.set("id", wanted.id);
  else {
    asked.set("kinds", String(wanted.kinds));
    asked.set("depth", String(wanted.leastDepth));
    asked.set("remote", wanted.remote ? "1" : "0");
  }
  const sources = "id" in wanted ? "" : Array.from(wanted.sources.keys()).filter((s) => wanted.sources[s]).join(","); // of any number: not in the address
  const found = JSON.parse(await ask(`find?${asked}`, sources)) as { all: number; here: number; nodes: string; hidden?: number };
  const bits = atob(found.nodes);
  const nodes = new Uint8Array(model.nodes.count);
  for (let i = 0; i < nodes.length; i++) nodes[i] = (bits.charCodeAt(i >> 3) >> (i & 7)) & 1;
  return { all: found.all, here: found.here, nodes, hidden: found.hidden ?? kNone };
}
