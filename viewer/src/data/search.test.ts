import assert from "node:assert/strict";
import { test } from "node:test";
import { recording } from "../testing/recording";
import { grainMetrics } from "./metrics";
import { GrainKind, kNone, NodeKind } from "./model";
import type { Problem } from "./page";
import { fullScene } from "./scene";
import { type Found, light, search, searchProblem, searchRange, searchSource } from "./search";

const model = recording({
  grains: [
    { kind: GrainKind.initial, source: kNone },
    { source: 0, id: 0xdeadbeef, exec: 10 },
    { source: 1, id: 0xdeadb000, exec: 20, depth: 3 },
    { source: 1, id: 0x12345678, exec: 30, depth: 5 },
    { source: 2, kind: GrainKind.chunk, exec: 40 },
  ],
  sources: [
    { file: "/home/me/sort.c", line: 12, function: "merge" },
    { file: "/home/me/resort.c", line: 12, function: "fib" },
    { file: "/home/me/sort.c", line: 40, function: "merge", construct: "loop" },
  ],
  metrics: [{ about: { key: "exec" } }, { about: { key: "remote_share" }, values: [0, 0, 0, 0.5, 0] }],
});
const grainsOf = (found: Found | null) =>
  found ? Array.from(found.grains.keys()).filter((g) => found.grains[g]) : null;
const find = (text: string) => grainsOf(search(model, text));

test("nothing is looked for in an empty box", () => assert.equal(search(model, "  "), null));

test("by file and line: whole names of files only", () => {
  assert.deepEqual(find("sort.c:12"), [1]);
  assert.deepEqual(find("me/sort.c:12"), [1]);
  assert.deepEqual(find(":12"), [1, 2, 3]);
  assert.deepEqual(find("sort.c:13"), []);
});

test("by a part of file, function or construct, in any case", () => {
  assert.deepEqual(find("sort.c"), [1, 2, 3, 4]);
  assert.deepEqual(find("MERGE"), [1, 4]);
  assert.deepEqual(find("loop"), [4]);
});

test("by the first digits of an id", () => {
  assert.deepEqual(find("deadbeef"), [1]);
  assert.deepEqual(find("DEADB0"), [2]);
  assert.deepEqual(find(`12345678${"0".repeat(24)}`), [3]);
  assert.deepEqual(find("deadb1"), [], "as a word it is nowhere, either");
});

test("by a metric's range, also of what is found already", () => {
  const [exec] = grainMetrics(model);
  assert.deepEqual(grainsOf(searchRange(model, exec, 20, 40, null)), [2, 3]);
  assert.deepEqual(grainsOf(searchRange(model, exec, 20, Infinity, searchSource(model, 1).grains)), [2, 3]);
});

test("a problem's grains are those of its lines, kinds and depth, with remote data", () => {
  const remote = grainMetrics(model)[1];
  const about = { sources: [1, 2], kinds: 1 << GrainKind.task, least_depth: 4, remote: false };
  const problem = { sources: [1], about } as unknown as Problem;
  assert.deepEqual(grainsOf(searchProblem(model, problem, remote, "")), [3]);
  assert.deepEqual(
    grainsOf(searchProblem(model, { ...problem, about: { ...about, least_depth: 0 } }, remote, "")),
    [2, 3],
  );
  assert.deepEqual(
    grainsOf(searchProblem(model, { ...problem, about: { ...about, least_depth: 0, remote: true } }, remote, "")),
    [3],
  );
  const waits = searchProblem(model, { ...problem, about: undefined }, remote, "");
  assert.deepEqual([grainsOf(waits), [...waits.sources!]], [[], [0, 1, 0]], "about no grain: its lines' joins");
});

test("of a picture every node of a grain is lit, and the first is a stop", () => {
  const of = recording({
    grains: [{ source: 0 }, { source: 1 }],
    nodes: [
      { grain: 0, source: kNone },
      { grain: 0, kind: NodeKind.fork, source: 1 },
      { grain: 1, source: kNone },
      { grain: 0, source: kNone },
      { grain: 0, kind: NodeKind.join, source: 0 },
    ],
    sources: [{}, {}],
  });
  const lit = light(of, fullScene(of), searchSource(of, 0));
  assert.deepEqual([...lit.nodes], [1, 0, 0, 1, 1]);
  assert.deepEqual([[...lit.stops], lit.grains], [[0], 1]);
  const nowhere = { grains: new Uint8Array(2), sources: Uint8Array.from([1, 0]), what: "" };
  assert.deepEqual([...light(of, fullScene(of), nowhere).stops], [4], "no grain: the join is what can be gone to");
});
