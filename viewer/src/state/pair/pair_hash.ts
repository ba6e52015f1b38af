// A comparison's view in the address: the second recording's as in its own page, and what differs in the first.

import { kNone } from "../../data/model";
import { dispatch } from "../actions";
import { addressOf, readHash, type Said } from "../hash";
import type { Pair } from "./pair";

export function pairAddressOf(pair: Pair): string {
  const { before, after } = pair.stores;
  return addressOf(after, (put) => {
    const { view, timeView } = before;
    if (view.zoom !== 0 || view.x !== (view.extent.left + view.extent.right) / 2)
      put("b", [Math.round(view.x), Math.round(view.y), view.zoom.toFixed(3)].join("_"));
    if (!timeView.whole) put("btime", `${Math.round(timeView.from)}-${Math.round(timeView.to)}`);
    if (after.selectedNode < 0 && before.selectedGrain !== kNone) put("bg", before.selectedGrain);
    if (after.source === kNone && before.source !== kNone) put("bs", before.source);
    if (before.problem >= 0) put("bp", before.problem + 1);
    if (!pair.together) put("apart", 1);
    if (pair.stacked) put("stacked", 1);
    if (pair.active === "before") put("side", "before");
  });
}

export function readPairLayout(pair: Pair, said: Said): void {
  pair.stacked = said.text("stacked") === "1";
}

export function readPairHash(pair: Pair, said: Said): void {
  const { before, after } = pair.stores;
  const problem = said.number("bp");
  const source = said.index("bs", before.model.sources.length);
  pair.together = true;
  if (problem !== null && problem > 0) dispatch(before, { type: "problem", index: problem - 1 });
  else if (source !== null) dispatch(before, { type: "source", source });
  readHash(after, said);
  const grain = said.index("bg", before.model.grains.count);
  if (grain !== null) dispatch(before, { type: "select grain", grain, centre: false });
  if (said.text("side") === "before") pair.active = "before";
  const [x, y, zoom] = said.text("b").split("_").map(Number);
  pair.together = false; // each where it was left
  if (Number.isFinite(zoom)) dispatch(before, { type: "look", x, y, zoom });
  const [from, to] = said.numbers("btime", "-");
  dispatch(before, { type: "look at time", from, to });
  pair.together = said.text("apart") !== "1";
  before.notify();
}
