// All that a user can do, and what it does: to one recording, and where two are compared, to the other as well. Views,
// keys and the address change a store through dispatch() alone.

import { kNone } from "../data/model";
import type { Form } from "../data/scene";
import { kStructures, type Structure } from "../draw/colours";
import { selectLike, zoomLike } from "./follow";
import {
  chooseProblem,
  clear,
  find,
  highlightGrains,
  highlightSource,
  highlightSourceOf,
  setRange,
  showProblemOf,
  zoomToLit,
} from "./highlight";
import { repaint } from "./paint";
import { selectGrain, selectNode, step } from "./selection";
import { leave, open, openNode } from "./served";
import { setForm, setLevel, toggleSubtree } from "./shape";
import type { Peer, Store, ViewName } from "./store";
import { setTheme, type ThemeName } from "./theme";

type Action =
  // Views and forms.
  | { type: "show"; view: ViewName }
  | { type: "form"; form: Form; level?: number; collapsed?: number[]; opened?: number[] } // grains
  | { type: "level"; level: number } // of tasks: subtrees at it are one box
  | { type: "subtree"; grain: number } // as one box, or again as many
  | { type: "help"; on: boolean }
  // Colours.
  | { type: "colours"; by: string } // a structure, or a metric's key
  | { type: "threshold"; metric: string; value: number }
  | { type: "histogram"; metric: string; byTime?: boolean }
  | { type: "codelet graph"; index: number }
  | { type: "codelet"; index: number } // of that graph; a second time: none
  | { type: "theme"; name: ThemeName }
  | { type: "critical"; on: boolean }
  | { type: "dependences"; on: boolean }
  // The selection.
  | { type: "select node"; node: number; centre?: boolean; grain?: number } // -1: nothing
  | { type: "select grain"; grain: number; centre?: boolean }
  | { type: "show in timeline"; grain: number }
  | { type: "step"; by: number } // through what was found
  // What is highlighted.
  | { type: "find"; text: string }
  | { type: "source"; source: number }
  | { type: "grains"; grains: Uint8Array; what: string; there: Uint8Array } // there: of the other recording
  | { type: "problem"; index: number }
  | { type: "range"; metric: string; from: number; to: number }
  | { type: "clear" }
  | { type: "zoom to lit" }
  // Moving.
  | { type: "pan"; dx: number; dy: number }
  | { type: "zoom"; px: number; py: number; step: number }
  | { type: "look"; x: number; y: number; zoom: number }
  | { type: "fit" }
  | { type: "pan time"; share: number; scroll?: number } // of the window's span; CSS pixels of lanes
  | { type: "zoom time"; at: number; step: number }
  | { type: "look at time"; from: number; to: number }
  // Of a graph that is too large for one page.
  | { type: "open node"; node: number }
  | { type: "open"; node: number; count?: number } // of the whole graph
  | { type: "leave" };

// What an action does to the recording in which it is done, and then to the other one: null where that is not
// concerned.
interface Meaning<A> {
  here(store: Store, action: A): void;
  there: ((other: Store, action: A, leader: Store, peer: Peer) => void) | null;
}

// The same in both.
const alike = <A>(here: (store: Store, action: A) => void): Meaning<A> => ({ here, there: here });

function setColouring(store: Store, by: string): void {
  const next = (kStructures as string[]).includes(by) ? (by as Structure) : store.metric(by);
  if (!next) return;
  store.colouring = next;
  if (typeof next !== "string") store.histogram = next;
  repaint(store);
  store.notify();
}

// What is selected there is what is selected here, also after the boxes have changed.
function keepSelection(other: Store, leader: Store, peer: Peer): void {
  if (leader.selectedGrain !== kNone && leader.selectedNode >= 0) selectLike(leader, other, peer);
}

const kMeanings: { [T in Action["type"]]: Meaning<Extract<Action, { type: T }>> } = {
  show: alike((store, { view }) => {
    if (store.shown === view) return;
    store.shown = view;
    store.notify();
    if (view === "graph") store.stage?.request();
  }),
  form: {
    here: (store, { form, level, collapsed, opened }) => setForm(store, form, { level, collapsed, opened }),
    there: (other, { form, collapsed, opened }, leader, peer) => {
      const there = (grains?: number[]) => grains?.map((g) => peer.grain(g)).filter((g) => g !== kNone);
      setForm(other, form, { level: leader.form.level, collapsed: there(collapsed), opened: there(opened) });
      keepSelection(other, leader, peer);
    },
  },
  level: {
    here: (store, { level }) => setLevel(store, level),
    there: (other, { level }, leader, peer) => {
      setLevel(other, level);
      keepSelection(other, leader, peer);
    },
  },
  subtree: {
    here: (store, { grain }) => toggleSubtree(store, grain),
    there: (other, { grain }, leader, peer) => {
      const there = peer.grain(grain);
      if (there !== kNone) toggleSubtree(other, there);
      keepSelection(other, leader, peer);
    },
  },
  help: {
    here: (store, { on }) => {
      store.showHelp = on;
      store.notify();
    },
    there: null,
  },

  colours: alike((store, { by }) => setColouring(store, by)),
  threshold: alike((store, { metric, value }) => {
    if (!Number.isFinite(value)) return;
    store.metric(metric)?.setThreshold(value);
    repaint(store);
    store.notify();
  }),
  histogram: alike((store, { metric, byTime }) => {
    store.byTime = byTime ?? store.byTime;
    store.histogram = store.metric(metric) ?? store.histogram;
    store.notify();
  }),
  "codelet graph": {
    here: (store, { index }) => {
      if (!store.model.codeletGraphs[index]) return;
      store.codeletGraph = index;
      store.codelet = -1;
      store.notify();
    },
    there: null,
  },
  codelet: {
    here: (store, { index }) => {
      if (!store.model.codeletGraphs[store.codeletGraph]?.codelets[index]) return;
      store.codelet = store.codelet === index ? -1 : index;
      store.notify();
    },
    there: null,
  },
  theme: alike((store, { name }) => {
    store.themeName = name;
    setTheme(name);
    repaint(store);
    store.notify();
  }),
  critical: alike((store, { on }) => {
    store.showCritical = on;
    repaint(store);
    store.notify();
  }),
  dependences: alike((store, { on }) => {
    store.showDependences = on;
    repaint(store);
    store.notify();
  }),

  "select node": {
    here: (store, { node, centre, grain }) => selectNode(store, node, centre ?? false, grain),
    there: (other, _, leader, peer) => selectLike(leader, other, peer),
  },
  "select grain": {
    here: (store, { grain, centre }) => selectGrain(store, grain, centre ?? true),
    there: (other, { grain }, leader, peer) => {
      if (leader.selectedGrain === grain) selectLike(leader, other, peer); // else nothing of it is in the picture
    },
  },
  "show in timeline": {
    here: (store, { grain }) => {
      const { begin, span } = store.model.grains;
      if (begin[grain] >= 0) store.timeView.frame(begin[grain], begin[grain] + Math.max(0, span[grain]));
      store.shown = "timeline";
      store.notify();
    },
    // Its own place in time, to the same scale.
    there: (other, { grain }, leader, peer) => {
      const at = peer.grain(grain);
      const { begin, span } = other.model.grains;
      const { from, to } = leader.timeView;
      const middle = at !== kNone && begin[at] >= 0 ? begin[at] + Math.max(0, span[at]) / 2 : (from + to) / 2;
      other.timeView.around(middle, leader.timeView.span);
      other.shown = "timeline";
      other.notify();
    },
  },
  step: {
    here: (store, { by }) => step(store, by),
    there: (other, _, leader, peer) => {
      if (leader.stop >= 0) selectLike(leader, other, peer);
    },
  },

  find: alike((store, { text }) => find(store, text)),
  source: {
    here: (store, { source }) => highlightSource(store, source),
    there: (other, _, leader, peer) => highlightSourceOf(leader, other, peer),
  },
  grains: {
    here: (store, { grains, what }) => highlightGrains(store, grains, what),
    there: (other, { there, what }) => highlightGrains(other, there, what),
  },
  problem: {
    here: (store, { index }) => chooseProblem(store, index),
    there: (other, _, leader, peer) => showProblemOf(leader, other, peer),
  },
  range: alike((store, { metric, from, to }) => {
    const of = store.metric(metric);
    if (of) setRange(store, of, from, to);
  }),
  clear: alike((store) => clear(store)),
  "zoom to lit": alike((store) => zoomToLit(store)),

  pan: {
    here: (store, { dx, dy }) => {
      store.view.pan(dx, dy);
      store.moved();
    },
    there: (other, { dx, dy }, _, peer) => {
      if (!peer.together) return;
      other.view.pan(dx, dy);
      other.moved();
    },
  },
  zoom: {
    here: (store, { px, py, step: by }) => {
      store.view.zoomAt(px, py, by);
      store.moved();
    },
    there: (other, { px, py }, leader, peer) => {
      if (peer.together) zoomLike(leader, other, peer, px, py);
    },
  },
  look: {
    here: (store, { x, y, zoom }) => {
      store.view.look(x, y, zoom);
      store.moved();
    },
    there: null,
  },
  fit: alike((store) => {
    (store.shown === "timeline" ? store.timeView : store.view).fit();
    store.moved();
  }),
  "pan time": {
    here: (store, { share, scroll }) => {
      store.timeView.scroll += scroll ?? 0;
      store.timeView.pan(share);
      store.notifyView();
    },
    there: (other, { share }, _, peer) => {
      if (!peer.together) return;
      other.timeView.pan(share);
      other.notifyView();
    },
  },
  "zoom time": {
    here: (store, { at, step: by }) => {
      store.timeView.zoomAt(at, by);
      store.notifyView();
    },
    there: (other, { at, step: by }, _, peer) => {
      if (!peer.together) return;
      other.timeView.zoomAt(at, by);
      other.notifyView();
    },
  },
  "look at time": { here: (store, { from, to }) => store.timeView.look(from, to), there: null },

  "open node": { here: (store, { node }) => openNode(store, node), there: null },
  open: { here: (store, { node, count }) => void open(store, node, count), there: null },
  leave: { here: (store) => leave(store), there: null },
};

export function dispatch(store: Store, action: Action): void {
  const { here, there } = kMeanings[action.type] as Meaning<Action>;
  here(store, action);
  const { peer } = store;
  if (peer) there?.(peer.store, action, store, peer);
}
