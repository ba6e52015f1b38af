// Stores of small recordings, alone and as the two of a comparison.
import { kNone, type Model } from "../data/model";
import { type Peer, Store } from "../state/store";
import { binaryTree, recording } from "./recording";

// A tree of tasks: grain 0 is the initial task, 1 its only child, then 2 and 5 with two children each.
function treeModel(): Model {
  const grains = [...binaryTree(2), { parent: 0, source: 2, exec: 5000 }];
  return recording({
    grains: grains.map((g, i) => ({ ...g, begin: 1000 * i })),
    sources: [{ construct: "initial" }, { file: "/a/fib.c", line: 10 }, { file: "/a/other.c", line: 20 }],
    metrics: [
      { about: { key: "exec", scale: "logarithmic" } },
      {
        about: { key: "parallel_benefit", unit: "", threshold: 1, bad: "below" },
        values: grains.map((_, i) => (i === 0 ? Number.NaN : i / 4)),
      },
    ],
    problems: [
      { source: 1, sources: [1], about: { sources: [1], kinds: 31, least_depth: 1, remote: false } },
      { kind: "serial", sources: [2] },
    ],
    meta: { wall_ns: 10_000 },
  });
}

export function treeStore(): Store {
  const store = new Store(treeModel());
  store.view.resize(800, 600);
  store.view.fit();
  return store;
}

// Two of the same program. The second's grains have the same numbers, but for the last: it is in the first only.
export function twoStores(): { before: Store; after: Store; move: (together: boolean) => void } {
  const [before, after] = [treeStore(), treeStore()];
  const last = before.model.grains.count - 1;
  let moving = true;
  const peer = (store: Store): Peer => ({
    store,
    get together() {
      return moving;
    },
    grain: (grain) => (grain === last ? kNone : grain),
    source: (source) => (source === 2 ? kNone : source),
  });
  before.peer = peer(after);
  after.peer = peer(before);
  return {
    before,
    after,
    move: (together) => {
      moving = together;
    },
  };
}
