import assert from "node:assert/strict";
import { test } from "node:test";
import { kNone } from "../data/model";
import type { Paint } from "../draw/raster";
import type { Stage } from "../draw/stage";
import { themeOfPage } from "../testing/page";
import { treeStore, twoStores } from "../testing/stores";
import { dispatch } from "./actions";
import { attach } from "./paint";
import type { Store } from "./store";

const kTree = 1; // the grain with all others but one below it
const kChild = 2;
const kOther = 8; // of another line; of two recordings in one only
const found = (store: Store) => (store.found ? store.found.grains.reduce((n, g) => n + g, 0) : null);

// Keeps what it is given to draw.
function stage(): { paints: Paint[] } & Stage {
  const paints: Paint[] = [];
  const nothing = () => {};
  const methods = {
    setPaint: (p: Paint) => paints.push(p),
    setScene: nothing,
    request: nothing,
    redrawOverlay: nothing,
  };
  return { ...methods, paints, selected: -1, style: null } as unknown as { paints: Paint[] } & Stage;
}

test("who listens is told once for each action", () => {
  const store = treeStore();
  let told = 0;
  const stop = store.subscribe(() => told++);
  dispatch(store, { type: "show", view: "histogram" });
  dispatch(store, { type: "show", view: "histogram" }); // is shown
  assert.equal(told, 1);
  stop();
  dispatch(store, { type: "show", view: "graph" });
  assert.equal(told, 1);
});

test("a second click on a line, or on a problem, lets go", () => {
  const store = treeStore();
  dispatch(store, { type: "source", source: 1 });
  assert.deepEqual([store.source, found(store)], [1, 7]);
  dispatch(store, { type: "source", source: 1 });
  assert.deepEqual([store.source, found(store)], [kNone, null]);
  dispatch(store, { type: "problem", index: 0 });
  assert.deepEqual([store.problem, store.openProblem, found(store)], [0, 0, 6]);
  dispatch(store, { type: "problem", index: 0 });
  assert.deepEqual([store.problem, found(store)], [-1, null]);
});

test("a line that allocates is chosen, and the picture stays as it is", () => {
  for (const leader of ["before", "after"] as const) {
    const stores = twoStores();
    const [here, there] = leader === "before" ? [stores.before, stores.after] : [stores.after, stores.before];
    here.model.meta.allocations = { lines: [{ source: 2, blocks: 1, bytes: 9, largest: 9 }] };
    assert.deepEqual([here.views.at(-1), there.views.at(-1)], ["memory", "depth"]);
    dispatch(here, { type: "source", source: 1 });
    dispatch(here, { type: "source", source: 2 }); // which the other does not have
    assert.deepEqual([here.source, found(here), there.source, found(there)], [2, null, kNone, null]);
    dispatch(here, { type: "source", source: 2 });
    assert.equal(here.source, kNone);
  }
});

test("one thing is highlighted at a time", () => {
  const store = treeStore();
  dispatch(store, { type: "find", text: "other.c" });
  assert.deepEqual([store.query, found(store)], ["other.c", 1]);
  dispatch(store, { type: "source", source: 1 });
  assert.deepEqual([store.query, found(store)], ["", 7]);
  dispatch(store, { type: "range", metric: "exec", from: 0, to: 150 });
  assert.deepEqual([store.source, found(store)], [kNone, 4], "of what was highlighted, the tasks of 100 ns");
  dispatch(store, { type: "clear" });
  assert.deepEqual([store.range, store.result], [null, null]);
});

test("a problem colours by the metric that tells it, and looks at it", () => {
  const store = treeStore();
  dispatch(store, { type: "threshold", metric: "parallel_benefit", value: 0.6 });
  dispatch(store, { type: "problem", index: 0 });
  assert.equal(store.colouringKey, "source", "most of its grains are no problem by that metric");
  dispatch(store, { type: "clear" });
  dispatch(store, { type: "threshold", metric: "parallel_benefit", value: 1.1 }); // of three
  dispatch(store, { type: "problem", index: 0 });
  assert.equal(store.colouringKey, "parallel_benefit");
  assert.equal(store.histogram.key, "parallel_benefit");
});

test("steps go round what was found, either way", () => {
  const store = treeStore();
  dispatch(store, { type: "step", by: 1 });
  assert.equal(store.selectedGrain, kNone, "nothing was found");
  dispatch(store, { type: "find", text: "fib.c" });
  const visited = [1, 1, -1, -1, -1].map((by) => {
    dispatch(store, { type: "step", by });
    return store.selectedGrain;
  });
  assert.deepEqual(visited, [1, 2, 1, 7, 6]);
});

test("the selection stays with its grain when the boxes change", () => {
  const store = treeStore();
  dispatch(store, { type: "select grain", grain: kChild });
  for (const form of ["grains", "lines", "depths", "nodes"] as const) {
    dispatch(store, { type: "form", form });
    assert.equal(store.scene.form, form);
    assert.ok(Array.from(store.scene.nodesOf.of(kChild)).includes(store.selectedNode), form);
    assert.equal(store.selectedGrain, kChild, form);
  }
});

test("a subtree as one box, and again as many", () => {
  const store = treeStore();
  dispatch(store, { type: "form", form: "grains", level: 9 });
  const many = store.scene.nodes.count;
  dispatch(store, { type: "subtree", grain: kChild });
  const few = store.scene.nodes.count;
  assert.ok(few < many);
  dispatch(store, { type: "subtree", grain: kChild });
  assert.equal(store.scene.nodes.count, many);
  dispatch(store, { type: "level", level: 1 });
  assert.ok(store.scene.nodes.count < few);
  assert.equal(store.form.opened.size, 0, "a level is one for all");
});

test("a colour that there is none of changes nothing", () => {
  const store = treeStore();
  dispatch(store, { type: "colours", by: "thread" });
  dispatch(store, { type: "colours", by: "no such metric" });
  assert.equal(store.colouringKey, "thread");
  dispatch(store, { type: "threshold", metric: "parallel_benefit", value: Number.NaN });
  assert.equal(store.metric("parallel_benefit")?.threshold, 1);
});

test("what is drawn is what was chosen", () => {
  const store = treeStore();
  const drawn = stage();
  attach(store, drawn);
  const last = () => drawn.paints[drawn.paints.length - 1];
  assert.deepEqual([last().dimmed, last().showCritical, last().matched.length], [false, true, 0]);
  dispatch(store, { type: "source", source: 2 });
  assert.deepEqual([last().dimmed, [...last().matched]], [true, [kOther]]);
  dispatch(store, { type: "critical", on: false });
  assert.equal(last().showCritical, false);
  const light = last().background;
  dispatch(store, { type: "theme", name: "dark" });
  assert.notEqual(last().background, light);
  assert.equal(themeOfPage(), "dark");
  dispatch(store, { type: "theme", name: "light" });
});

test("everything is fitted: the graph, or time where that is shown", () => {
  const store = treeStore();
  dispatch(store, { type: "zoom", px: 10, py: 10, step: 1 });
  dispatch(store, { type: "zoom time", at: 0.5, step: 1 });
  dispatch(store, { type: "pan time", share: 0.1, scroll: 7 });
  assert.equal(store.timeView.scroll, 7);
  dispatch(store, { type: "fit" });
  assert.deepEqual([store.view.zoom, store.timeView.whole], [0, false]);
  dispatch(store, { type: "show in timeline", grain: kChild });
  assert.equal(store.shown, "timeline");
  dispatch(store, { type: "fit" });
  assert.ok(store.timeView.whole);
});

// ---- two recordings: whichever is acted on, the other follows, and nothing comes back.
for (const leader of ["before", "after"] as const) {
  const two = () => {
    const { before, after, move } = twoStores();
    return leader === "before" ? { here: before, there: after, move } : { here: after, there: before, move };
  };

  test(`${leader}: views, forms, colours and thresholds are those of both`, () => {
    const { here, there } = two();
    dispatch(here, { type: "show", view: "depth" });
    dispatch(here, { type: "form", form: "grains", level: 2 });
    dispatch(here, { type: "subtree", grain: kTree });
    dispatch(here, { type: "colours", by: "parallel_benefit" });
    dispatch(here, { type: "threshold", metric: "parallel_benefit", value: 3 });
    dispatch(here, { type: "histogram", metric: "exec", byTime: true });
    dispatch(here, { type: "dependences", on: false });
    const of = (s: Store) => [
      s.shown,
      s.scene.form,
      s.scene.nodes.count,
      s.form.level,
      [...s.form.collapsed],
      s.colouringKey,
      s.metric("parallel_benefit")?.threshold,
      s.histogram.key,
      s.byTime,
      s.showDependences,
    ];
    assert.deepEqual(of(there), of(here));
    assert.deepEqual(of(there).slice(0, 2), ["depth", "grains"]);
    assert.notEqual(here.metric("parallel_benefit"), there.metric("parallel_benefit"), "each has its own values");
  });

  test(`${leader}: the same grain is selected, or none where there is none`, () => {
    const { here, there } = two();
    dispatch(here, { type: "select grain", grain: kChild });
    assert.equal(there.selectedGrain, kChild);
    assert.equal(there.selectedNode, there.scene.nodesOf.of(kChild)[0]);
    dispatch(here, { type: "select node", node: here.scene.nodesOf.of(kOther)[0] });
    assert.deepEqual([here.selectedGrain, there.selectedGrain, there.selectedNode], [kOther, kNone, -1]);
    dispatch(here, { type: "find", text: "fib.c" });
    dispatch(here, { type: "step", by: 1 });
    assert.equal(there.selectedGrain, here.selectedGrain);
  });

  test(`${leader}: the same is highlighted, by what it is there`, () => {
    const { here, there } = two();
    dispatch(here, { type: "source", source: 1 });
    assert.deepEqual([there.source, found(there)], [1, 7]);
    dispatch(here, { type: "source", source: 1 });
    assert.deepEqual([there.source, found(there)], [kNone, null]);
    dispatch(here, { type: "source", source: 2 }); // a line that the other does not have
    assert.deepEqual([there.source, found(there), there.found?.what], [kNone, 0, "/a/other.c:20"]);
    dispatch(here, { type: "problem", index: 0 });
    assert.deepEqual([found(there), there.found?.what, there.colouringKey], [6, "problem 1", here.colouringKey]);
    assert.equal(there.problem, -1, "it is the other recording's problem");
    dispatch(here, { type: "grains", grains: new Uint8Array(9).fill(1), what: "only here", there: new Uint8Array(9) });
    assert.deepEqual([found(here), found(there)], [9, 0]);
    dispatch(here, { type: "clear" });
    assert.equal(there.found, null);
  });

  test(`${leader}: both move where they are to move together, else one`, () => {
    const { here, there, move } = two();
    dispatch(here, { type: "zoom", px: 400, py: 300, step: 1 });
    dispatch(here, { type: "pan", dx: 20, dy: 10 });
    dispatch(here, { type: "zoom time", at: 0.5, step: 1 });
    const of = (s: Store) => [s.view.zoom, s.view.x, s.view.y, s.timeView.from].map((v) => v.toFixed(6));
    assert.deepEqual(of(there), of(here));
    const before = of(there);
    move(false);
    dispatch(here, { type: "zoom", px: 400, py: 300, step: 0.2 });
    dispatch(here, { type: "pan", dx: 20, dy: 10 });
    dispatch(here, { type: "pan time", share: 0.2 });
    assert.deepEqual(of(there), before);
    assert.notDeepEqual(of(here), before);
    dispatch(here, { type: "look", x: 1, y: 2, zoom: 0.1 });
    assert.deepEqual(of(there), before, "where one looks is its own");
    dispatch(here, { type: "fit" });
    assert.deepEqual([here.view.zoom, there.view.zoom], [0, 0]);
  });
}
