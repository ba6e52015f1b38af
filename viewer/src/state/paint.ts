// The picture's colours, as chosen.

import { kNone } from "../data/model";
import { grainsOfNode } from "../data/scene";
import { light } from "../data/search";
import type { Stage } from "../draw/stage";
import type { Store } from "./store";
import { textOn, theme } from "./theme";

const kMostGrains = 50; // of a box that stands for several: those whose dependences are drawn

export function attach(store: Store, stage: Stage): void {
  store.stage = stage;
  store.view.fit();
  repaint(store);
}

export function repaint(store: Store): void {
  const { stage, scene, colouring } = store;
  store.nodeColours = null;
  if (!stage) return;
  const t = theme();
  const lit = store.result?.nodes ?? null;
  const colour = store.colours.paint(scene, colouring, lit, t.background);
  if (scene === store.full) store.nodeColours = colour;
  stage.style = {
    text: textOn,
    selection: t.selection,
    hover: t.hover,
    halo: t.halo,
    dependence: t.dependence,
    colourOf: (i) => colour[i],
    dependences: dependencesOf(store, store.selectedNode),
  };
  const matched: number[] = [];
  if (lit) for (let i = 0; i < lit.length; i++) if (lit[i]) matched.push(i);
  const problems = typeof colouring !== "string" && colouring.bad !== null;
  const red = problems || (typeof colouring !== "string" && colouring.change !== null);
  // Where red means something else, the critical path is of another colour.
  stage.setPaint({
    colour: colour.slice(),
    matched: Uint32Array.from(matched),
    dimmed: lit !== null || problems,
    showCritical: store.showCritical,
    showDependences: store.showDependences,
    background: t.background,
    critical: red ? t.criticalBesideProblems : t.critical,
    edge: t.edge,
    rim: t.rim,
  });
}

// By node of the full graph, whatever is shown: for the timeline.
export function fullColours(store: Store): Uint32Array {
  if (!store.nodeColours) {
    const { found, result, scene, full } = store;
    const lit = found ? (scene === full && result ? result : light(store.model, full, found)).nodes : null;
    store.nodeColours = store.colours.paint(full, store.colouring, lit, theme().background);
  }
  return store.nodeColours;
}

// Of the selected grain: pairs of the scene's nodes, the second waits for the first.
export function dependencesOf(store: Store, node: number): [number, number][] {
  const { model, scene } = store;
  if (node < 0 || !store.showDependences || !model.hasDependences) return [];
  const out: [number, number][] = [];
  const inScene = (full: number): number => {
    if (scene === store.full) return full;
    const grain = model.nodes.grain[full];
    return grain === kNone ? -1 : (scene.nodesOf.of(grain)[0] ?? -1);
  };
  for (const grain of Array.from(grainsOfNode(scene, node)).slice(0, kMostGrains))
    for (const own of model.nodesOf.of(grain))
      for (const e of model.dependencesOf(own)) {
        const from = inScene(model.edges.from[e]);
        const to = inScene(model.edges.to[e]);
        if (from >= 0 && to >= 0 && from !== to) out.push([from, to]);
      }
  return out;
}
