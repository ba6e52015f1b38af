import assert from "node:assert/strict";
import { test } from "node:test";
import { binaryTree, recording } from "../testing/recording";
import { baseName, GrainKind, Groups, kNone } from "./model";

test("groups: every index at its key, in ascending order", () => {
  const groups = new Groups(3, Uint32Array.from([2, 0, 2, kNone, 0]));
  assert.deepEqual(
    [0, 1, 2].map((k) => [...groups.of(k)]),
    [[1, 4], [], [0, 2]],
  );
});

test("the critical bit is no part of a node's kind", () => {
  const model = recording({ grains: [{}, {}], nodes: [{ kind: 1 }, { kind: 2, critical: true }] });
  assert.deepEqual([...model.nodes.kind], [1, 2]);
  assert.deepEqual([...model.nodes.critical], [0, 1]);
});

test("children, nodes and names of a grain", () => {
  const model = recording({ grains: [...binaryTree(2), { id: 0xab, parent: 0 }], sources: [{}, {}] });
  assert.deepEqual([...model.childrenOf.of(0)], [1, 8]);
  assert.deepEqual([...model.childrenOf.of(1)], [2, 5]);
  assert.deepEqual([...model.nodesOf.of(3)], [3]);
  assert.equal(model.idOf(8), `000000ab${"0".repeat(24)}`);
  assert.equal(model.grainsHere, 8, "the initial task carries others, but is none");
  assert.equal(model.allGrains, 8);
});

test("what a node is about: its own line, else its grain's", () => {
  const model = recording({
    grains: [{ source: 1 }],
    nodes: [{ grain: 0 }, { grain: 0, source: 0 }, {}],
    sources: [{}, {}],
  });
  assert.deepEqual(
    [0, 1, 2].map((n) => model.sourceOfNode(model.nodes, n)),
    [1, 0, kNone],
  );
});

test("places of sources", () => {
  const model = recording({
    grains: [{}],
    sources: [
      { file: "/src/a.c", line: 7, function: "f", construct: "loop" },
      { file: "", line: 0, address: "0x12" },
    ],
  });
  assert.equal(model.fullPlaceOf(0), "/src/a.c:7\nf");
  assert.equal(model.fullPlaceOf(1), "app at 0x12\nmain");
  assert.equal(model.whatOf(0), "loop in f");
  assert.equal(model.placeOf(kNone), "unknown place");
  assert.equal(baseName("/a/b.c"), "b.c");
});

test("the number of a codelet, and of nothing else", () => {
  const model = recording({
    grains: [{}, { source: 0, firstIteration: 7 }, { source: 1, firstIteration: 8 }],
    sources: [{ construct: "codelet" }, { construct: "taskloop" }],
  });
  assert.deepEqual(
    [1, 2, kNone].map((grain) => model.codeletOf(grain)),
    [7, -1, -1],
  );
});

test("dependences of a node, both ways", () => {
  const edges = [
    { kind: 3, from: 0, to: 1 },
    { kind: 3, from: 1, to: 2 },
    { kind: 0, from: 0, to: 2 },
  ];
  const model = recording({ grains: [{}, {}, {}], edges });
  assert.ok(model.hasDependences);
  assert.deepEqual(model.dependencesOf(1), [0, 1]);
  assert.deepEqual(model.dependencesOf(0), [0]);
  assert.ok(!recording({ grains: [{}, {}], edges: [{ kind: 0, from: 0, to: 1 }] }).hasDependences);
});

test("which grains count", () => {
  const kinds = [GrainKind.initial, GrainKind.implicit, GrainKind.share, GrainKind.chunk, GrainKind.task];
  const model = recording({ grains: kinds.map((kind) => ({ kind })) });
  assert.deepEqual(
    kinds.map((_, g) => model.isGrain(g)),
    [false, false, true, true, true],
  );
});
