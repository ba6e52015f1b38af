import assert from "node:assert/strict";
import { test } from "node:test";
import { kNone } from "../data/model";
import "../testing/page";
import { treeStore, twoStores } from "../testing/stores";
import { dispatch } from "./actions";
import { addressOf, readHash, Said } from "./hash";
import type { Store } from "./store";

function opened(hash: string): Store {
  const store = treeStore();
  readHash(store, new Said(hash));
  return store;
}

test("a page as it opens has nothing in its address", () => {
  assert.equal(addressOf(treeStore()), "");
  assert.equal(addressOf(opened("")), "");
});

const kDone: [string, (store: Store) => void, RegExp][] = [
  ["a view", (s) => dispatch(s, { type: "show", view: "depth" }), /^#v=depth$/],
  ["a form", (s) => dispatch(s, { type: "form", form: "lines" }), /form=lines/],
  [
    "subtrees",
    (s) => {
      dispatch(s, { type: "form", form: "grains", level: 2 });
      dispatch(s, { type: "subtree", grain: 1 });
      dispatch(s, { type: "subtree", grain: 2 });
    },
    /level=2&shut=1\.2/,
  ],
  ["colours", (s) => dispatch(s, { type: "colours", by: "parallel_benefit" }), /c=parallel_benefit/],
  [
    "a threshold",
    (s) => dispatch(s, { type: "threshold", metric: "parallel_benefit", value: 0.5 }),
    /t\.parallel_benefit=0\.5/,
  ],
  ["a place", (s) => dispatch(s, { type: "look", x: 300, y: 200, zoom: 0.25 }), /x=300&y=200&z=0\.250/],
  ["a stretch of time", (s) => dispatch(s, { type: "look at time", from: 100, to: 5000 }), /time=100-5000/],
  ["a grain", (s) => dispatch(s, { type: "select grain", grain: 3, centre: false }), /g=3&n=3/],
  [
    "switches",
    (s) => {
      dispatch(s, { type: "critical", on: false });
      dispatch(s, { type: "dependences", on: false });
    },
    /critical=0&depend=0/,
  ],
  ["what was searched for", (s) => dispatch(s, { type: "find", text: "a & b=c" }), /f=a%20%26%20b%3Dc/],
  ["a line", (s) => dispatch(s, { type: "source", source: 2 }), /s=2/],
  ["a problem", (s) => dispatch(s, { type: "problem", index: 0 }), /p=1/],
  ["bars", (s) => dispatch(s, { type: "range", metric: "exec", from: -Infinity, to: 150 }), /r=exec%3A-Infinity%3A150/],
  ["a theme", (s) => dispatch(s, { type: "theme", name: "dark" }), /theme=dark/],
];
for (const [what, act, said] of kDone)
  test(`${what}: the address opens what it was taken from`, () => {
    const store = treeStore();
    act(store);
    const address = addressOf(store);
    assert.match(address, said);
    const again = opened(address);
    assert.equal(addressOf(again), address);
    assert.deepEqual([again.found?.grains, again.selectedNode], [store.found?.grains, store.selectedNode]);
  });

test("what an address says wrongly is as if it were not there", () => {
  const wrong =
    "#v=nowhere&form=boxes&level=99&shut=1.x.99&g=99&n=-1&s=7&p=12&r=exec:a:b&x=1&z=no&time=9-3&c=none&theme=pink&%E0%A4%A=1&t.exec=x&f=%E0%A4%A";
  const store = opened(wrong);
  assert.deepEqual([store.shown, store.scene.form, store.selectedGrain, store.found], ["graph", "nodes", kNone, null]);
  assert.deepEqual(
    [store.colouringKey, store.themeName, store.timeView.whole, store.view.zoom],
    ["source", "auto", true, 0],
  );
});

test("half a number is none", () => {
  const said = new Said("#a=3&b=3.5&c=-1&d=&e=x");
  assert.deepEqual(
    ["a", "b", "c", "d", "e", "f"].map((key) => said.number(key)),
    [3, 3.5, -1, null, null, null],
  );
  assert.deepEqual(
    ["a", "b", "c", "d"].map((key) => said.index(key, 4)),
    [3, null, null, null],
  );
  assert.equal(said.index("a", 3), null);
});

test("the address of a comparison is read into both recordings", () => {
  const { before, after } = twoStores();
  readHash(after, new Said("#form=grains&level=2&shut=2&c=thread&t.parallel_benefit=0.5&f=fib.c"));
  for (const s of [before, after]) {
    assert.deepEqual(
      [s.scene.form, s.form.level, [...s.form.collapsed], s.colouringKey, s.query],
      ["grains", 2, [2], "thread", "fib.c"],
    );
    assert.equal(s.metric("parallel_benefit")?.threshold, 0.5);
  }
});
