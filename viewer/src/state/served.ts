// A page from `einkorn view`, of a recording that is too large for one page: what is not drawn is asked of the server,
// and aggregates are opened as parts, each a page of its own. src/cli/view_server.cpp is the other side.

import { kNone, type Model } from "../data/model";
import { type Inside, isPartial, type Wanted } from "../data/partial";
import { extentOf } from "../data/scene";
import { type Found, light } from "../data/search";
import { repaint } from "./paint";
import { selectNode } from "./selection";
import type { Store } from "./store";

const kUp = "einkorn-up:"; // in the session: where a part was opened from
const kTyping = 150; // ms after the last key before the server is asked

// The browser may keep a page as it was when it was left: waiting for the next.
export function onReturn(store: Store): void {
  addEventListener("pageshow", (e) => {
    if (e.persisted) busy(store, false);
  });
}

function busy(store: Store, on: boolean): void {
  store.opening = on;
  document.documentElement.style.cursor = on ? "progress" : "";
  store.notify();
}

// Whether a node stands for several, which can be opened.
export function canOpen({ scene, full, model }: Store, node: number): boolean {
  return node >= 0 && scene === full && model.firstOf !== null && model.nodes.members[node] > 1;
}

// The nodes that a node of the picture stands for.
export function openNode(store: Store, node: number): void {
  const { firstOf, scattered, nodes } = store.model;
  if (firstOf && canOpen(store, node)) void open(store, firstOf[node], scattered?.[node] ? 1 : nodes.members[node]);
}

// The part of the graph around a node of it, with the same highlighted. `count`: nodes to look at there, from that one
// on.
export async function open(store: Store, node: number, count = 1): Promise<void> {
  if (store.opening) return;
  busy(store, true);
  try {
    const part = `${await ask(`where?node=${node}`)}${count > 1 ? `&of=${count}` : ""}`;
    const to = new URL(part, location.href).href; // not a redirection: the way back is kept by the part's address
    const back = `${location.pathname}${location.search}${location.hash}`;
    if (to === location.href.replace(/#.*/, "")) {
      // This page: no other comes.
      busy(store, false);
      return lookAt(store);
    }
    sessionStorage.setItem(kUp + to, back);
    const highlighted = store.query
      ? ["f", store.query]
      : store.problem >= 0
        ? ["p", store.problem + 1]
        : store.source !== kNone
          ? ["s", store.source]
          : null;
    location.assign(to + (highlighted ? `#${highlighted[0]}=${encodeURIComponent(highlighted[1])}` : ""));
  } catch {
    busy(store, false); // the server has ended
  }
}

// Whether this is a part, and there is a way back from it.
export function canLeave({ model, opening }: Store): boolean {
  return model.meta.graph.part !== undefined && !opening;
}

// To where this part was opened from.
export function leave(store: Store): void {
  if (!canLeave(store)) return;
  busy(store, true);
  location.assign(sessionStorage.getItem(kUp + location.href.replace(/#.*/, "")) ?? "./");
}

// Looks at the nodes that the address asks for; a single one is selected.
export function lookAtAsked(store: Store): void {
  if (!location.hash.includes("x=")) lookAt(store); // else it was left elsewhere
}

function lookAt(store: Store): void {
  const {
    firstOf,
    scattered,
    nodes: { members, count },
  } = store.model;
  const asked = new URLSearchParams(location.search);
  if (!asked.has("at") || !firstOf) return;
  const at = Number(asked.get("at"));
  const end = at + Math.max(1, Number(asked.get("of")));
  const those = new Uint8Array(count);
  firstOf.forEach((first, i) => {
    if (first < end && first + (scattered?.[i] ? 1 : members[i]) > at) those[i] = 1;
  });
  if (end > at + 1) store.view.frame(extentOf(store.full, those));
  else selectNode(store, those.indexOf(1), true);
}

// Adds what the server knows of grains that were searched for.
export async function complete(store: Store, found: Found): Promise<void> {
  if (!found.wanted || !isPartial(store.model)) return;
  store.asking++;
  try {
    await new Promise((typed) => setTimeout(typed, kTyping));
    if (store.found !== found) return;
    const inside = await findInside(store.model, found.wanted);
    if (store.found !== found) return;
    found.inside = inside;
    const at = store.stop < 0 ? -1 : (store.result?.stops[store.stop] ?? -1);
    store.result = light(store.model, store.scene, found);
    store.stop = store.result.stops.indexOf(at);
    repaint(store);
  } catch {
    // What is drawn stays found, and the page says that there may be more.
    if (store.found === found) found.unanswered = true;
  } finally {
    store.asking--;
    store.notify();
  }
}

async function ask(what: string, body?: string): Promise<string> {
  const response = await fetch(what, body === undefined ? {} : { method: "POST", body });
  if (!response.ok) throw new Error(await response.text());
  return response.text();
}

async function findInside(model: Model, wanted: Wanted): Promise<Inside> {
  const { part } = model.meta.graph;
  const asked = new URLSearchParams({
    first: String(part?.first ?? 0),
    count: String(part?.count ?? 0),
    kinds: "31",
    depth: "0",
    remote: "0",
  });
  if ("id" in wanted) asked.set("id", wanted.id);
  else {
    asked.set("kinds", String(wanted.kinds));
    asked.set("depth", String(wanted.leastDepth));
    asked.set("remote", wanted.remote ? "1" : "0");
  }
  const sources =
    "id" in wanted
      ? ""
      : Array.from(wanted.sources.keys())
          .filter((s) => wanted.sources[s])
          .join(","); // of any number: not in the address
  const found = JSON.parse(await ask(`find?${asked}`, sources)) as {
    all: number;
    here: number;
    nodes: string;
    hidden?: number;
  };
  const bits = atob(found.nodes);
  const nodes = new Uint8Array(model.nodes.count);
  for (let i = 0; i < nodes.length; i++) nodes[i] = (bits.charCodeAt(i >> 3) >> (i & 7)) & 1;
  return { all: found.all, here: found.here, nodes, hidden: found.hidden ?? kNone };
}
