// A comparison's view in the address: the second recording's as in its own page, and what differs in the first.
import { hashValues, readHash, writeHash } from "../hash";
import { kNone } from "../model";
import type { Pair } from "./pair";

export function writePairHash(pair: Pair): void {
  const { before, after } = pair.stores;
  writeHash(after, (put) => {
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

export function readPairLayout(pair: Pair): void { pair.stacked = hashValues().get("stacked") === "1"; }

export function readPairHash(pair: Pair): void {
  const values = hashValues();
  const { before, after } = pair.stores;
  const number = (key: string): number => (values.has(key) ? Number(values.get(key)) : NaN);
  pair.together = true;
  if (number("bp") > 0) before.chooseProblem(number("bp") - 1);
  else if (number("bs") < before.model.sources.length) before.highlightSource(number("bs"));
  readHash(after);
  if (number("bg") < before.model.grains.count) before.selectGrain(number("bg"), false);
  if (values.get("side") === "before") pair.active = "before";
  const [x, y, zoom] = (values.get("b") ?? "").split("_").map(Number);
  pair.together = false; // each where it was left
  if (Number.isFinite(zoom)) before.look(x, y, zoom);
  const [from, to] = (values.get("btime") ?? "").split("-").map(Number);
  before.timeView.look(from, to);
  pair.together = values.get("apart") !== "1";
  before.notify();
}
