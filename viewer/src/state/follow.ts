// How one recording's picture follows the other's.

import { kNone } from "../data/model";
import { grainsOfNode } from "../data/scene";
import { centreOn, grainOf, selectGrain, selectNode } from "./selection";
import type { Peer, Store } from "./store";

const kMostLooked = 10000; // grains of a box that stands for several
const kPull = 0.3; // of the way to the same place of the window, with each step of zooming in

// The same grain's node, at the same place among its nodes; of a box that stands for several grains, the box with the
// first that the other recording has, too. -1: none.
function nodeThere(leader: Store, other: Store, peer: Peer, node: number, grain = grainOf(leader, node)): number {
  const members = grain !== kNone ? [grain] : Array.from(grainsOfNode(leader.scene, node)).slice(0, kMostLooked);
  const there = members.map((g) => peer.grain(g)).find((g) => g !== kNone) ?? kNone;
  if (there === kNone) return -1;
  const own = other.scene.nodesOf.of(there);
  const place = grain === kNone ? 0 : Math.max(0, leader.scene.nodesOf.of(grain).indexOf(node));
  const alike = own[place] !== undefined && other.scene.nodes.kind[own[place]] === leader.scene.nodes.kind[node];
  return (alike ? own[place] : own[0]) ?? -1;
}

// What the other recording has in place of what is selected in the leading one. Where both move together it comes to
// the same place of its window.
export function selectLike(leader: Store, other: Store, peer: Peer): void {
  const { selectedNode: node, selectedGrain: grain } = leader;
  const there = grain === kNone ? kNone : peer.grain(grain);
  const at = node < 0 ? -1 : nodeThere(leader, other, peer, node, grain);
  if (at >= 0) selectNode(other, at, false, there === kNone ? undefined : there);
  else if (there !== kNone)
    selectGrain(other, there, false); // an implicit task, which has no node of its own
  else selectNode(other, -1, false);
  const { nodes } = other.scene;
  const of = leader.scene.nodes;
  const shown = other.selectedNode;
  if (shown < 0 || leader.shown !== "graph") return;
  const { view } = other;
  const [x, y] = [nodes.x[shown], nodes.y[shown] + nodes.height[shown] / 2];
  if (peer.together) {
    if (leader.view.nearness < 0.02) return; // both show everything
    const px = leader.view.fromX(of.x[node]) / leader.view.width;
    const py = leader.view.fromY(of.y[node] + of.height[node] / 2) / leader.view.height;
    view.lineUp(leader.view, x, y, px * view.width, py * view.height);
  } else {
    const [px, py] = [view.fromX(x), view.fromY(y)];
    if (px > 0 && px < view.width && py > 0 && py < view.height) return;
    centreOn(other, shown);
  }
  other.moved();
}

// After the leading picture was zoomed about (px, py): the other one as near, about its own of the node that is nearest
// there. While zooming in, what differs between the places of the two goes away.
export function zoomLike(leader: Store, other: Store, peer: Peer, px: number, py: number): void {
  const { view } = other;
  const [wide, high] = [view.width / leader.view.width, view.height / leader.view.height];
  const step = view.zoomOfNearness(leader.view.nearness) - view.zoom;
  let node = -1;
  for (const reach of [2, 40, 200]) if (node < 0) node = leader.stage?.nodeAt(px, py, reach) ?? -1;
  const at = node < 0 ? -1 : nodeThere(leader, other, peer, node);
  if (at < 0) {
    view.zoomAt(px * wide, py * high, step);
    return other.moved();
  }
  const of = leader.scene.nodes;
  const { nodes } = other.scene;
  const place = (): [number, number] => [view.fromX(nodes.x[at]), view.fromY(nodes.y[at])];
  const [lx, ly] = [leader.view.fromX(of.x[node]), leader.view.fromY(of.y[node])];
  const [x, y] = place();
  view.zoomAt(x + (px - lx) * wide, y + (py - ly) * high, step);
  const [nx, ny] = place();
  if (step > 0) view.pan((nx - lx * wide) * kPull, (ny - ly * high) * kPull);
  other.moved();
}
