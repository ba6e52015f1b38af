// The selected node and its grain.

import { kNone } from "../data/model";
import { grainsOfNode } from "../data/scene";
import { dependencesOf } from "./paint";
import type { Store } from "./store";

// Of a box that stands for several grains: kNone.
export function grainOf({ scene }: Store, node: number): number {
  const grain = scene.nodes.grain[node];
  const members = grainsOfNode(scene, node);
  return grain !== kNone ? grain : members.length === 1 ? members[0] : kNone;
}

export function centreOn(store: Store, node: number): void {
  const { nodes } = store.scene;
  store.view.centre(nodes.x[node], nodes.y[node] + nodes.height[node] / 2, true);
}

export function selectNode(
  store: Store,
  node: number,
  centre: boolean,
  grain = node < 0 ? kNone : grainOf(store, node),
): void {
  store.selectedNode = node;
  store.selectedGrain = grain;
  const { stage } = store;
  if (stage) {
    stage.selected = node;
    if (stage.style) stage.style.dependences = dependencesOf(store, node);
    if (centre && node >= 0) {
      centreOn(store, node);
      stage.request();
    } else stage.redrawOverlay();
  }
  store.notify();
}

// False: nothing of it is in the picture.
export function selectGrain(store: Store, grain: number, centre: boolean): boolean {
  const { model, scene } = store;
  const nodes = scene.nodesOf.of(grain);
  let node = nodes.length > 0 ? nodes[0] : -1;
  for (const child of node < 0 ? model.childrenOf.of(grain) : []) {
    const below = scene.nodesOf.of(child);
    if (below.length > 0) {
      node = below[0];
      break;
    }
  }
  if (node >= 0) selectNode(store, node, centre, grain);
  return node >= 0;
}

// The next of what was found, or the one before.
export function step(store: Store, by: number): void {
  const stops = store.result?.stops;
  if (!stops || stops.length === 0) return;
  store.stop = store.stop < 0 ? (by > 0 ? 0 : stops.length - 1) : (store.stop + by + stops.length) % stops.length;
  selectNode(store, stops[store.stop], true);
}
