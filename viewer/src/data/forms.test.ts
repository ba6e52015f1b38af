import assert from "node:assert/strict";
import { test } from "node:test";
import { binaryTree, recording } from "../testing/recording";
import { type FormOptions, GrainFacts, makeForm } from "./forms";
import { GrainKind, kNone, NodeKind } from "./model";
import type { Form, Scene } from "./scene";

const model = recording({ grains: binaryTree(3), sources: [{}, {}] }); // 1 + 15 tasks of one line, on levels 1 to 4
const facts = new GrainFacts(model);
const all = (): FormOptions => ({ level: 9, collapsed: new Set(), opened: new Set() });
const form = (name: Exclude<Form, "nodes">, options = all()) => makeForm(name, facts, options);
const boxes = ({ nodes }: Scene) =>
  Array.from(nodes.kind.keys()).filter((n) => nodes.kind[n] !== NodeKind.fork && nodes.kind[n] !== NodeKind.join);

for (const name of ["grains", "lines", "depths"] as const)
  test(`${name}: every grain is in one box, with its time`, () => {
    const scene = form(name);
    const inside = boxes(scene).flatMap((n) => [...Array.from(scene.grainsOf!.of(n))]);
    assert.deepEqual(
      inside.sort((a, b) => a - b),
      Array.from({ length: model.grains.count }, (_, g) => g),
    );
    for (let g = 0; g < model.grains.count; g++) assert.ok(scene.grainsOf!.of(scene.nodesOf.of(g)[0]).includes(g));
    const weight = boxes(scene).reduce((sum, n) => sum + scene.nodes.weight[n], 0);
    assert.equal(
      weight,
      model.grains.exec.reduce((a, b) => a + b),
    );
    const members = boxes(scene).reduce((sum, n) => sum + scene.nodes.members[n], 0);
    assert.equal(members, 15, "the initial task is in a box, but is no grain");
  });

test("as many boxes as grains, lines, lines by depth", () => {
  assert.deepEqual(
    [form("grains"), form("lines"), form("depths")].map((s) => boxes(s).length),
    [16, 2, 5],
  );
});

test("a subtree at the level is one box, unless it was opened; any other, if it was collapsed", () => {
  const two = { ...all(), level: 2 };
  const scene = form("grains", two);
  assert.equal(boxes(scene).length, 4); // the initial task, level 1, two of level 2
  assert.equal(scene.capped, 12);
  const subtree = model.childrenOf.of(1)[0];
  assert.equal(scene.nodes.members[scene.nodesOf.of(subtree)[0]], 7);
  assert.equal(boxes(form("grains", { ...two, opened: new Set([subtree]) })).length, 6);
  assert.equal(boxes(form("grains", { ...all(), collapsed: new Set([subtree]) })).length, 10);
});

test("levels of tasks", () => {
  assert.equal(facts.deepest, 4);
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((g) => facts.levelOf(g)),
    [0, 1, 2, 3, 4],
  );
  assert.equal(facts.readableLevel(), 4, "so few are all readable");
});

test("a level with too many boxes is not opened at first", () => {
  const wide = recording({
    grains: [
      { kind: GrainKind.initial },
      ...Array.from({ length: 50 }, () => ({ parent: 0 })),
      ...Array.from({ length: 5000 }, () => ({ parent: 1, depth: 1 })),
    ],
  });
  assert.equal(new GrainFacts(wide).readableLevel(), 1);
});

test("a box is critical if one of its grains is, and knows who waits", () => {
  const of = recording({
    grains: [
      { kind: GrainKind.initial, source: 0 },
      { parent: 0, source: 1 },
      { parent: 0, source: 1 },
    ],
    nodes: [{ grain: 0 }, { grain: 1 }, { grain: 2, critical: true }, { kind: NodeKind.join, grain: 0 }],
    edges: [
      { kind: 1, from: 1, to: 3 },
      { kind: 1, from: 2, to: 3 },
    ],
    sources: [{}, {}],
  });
  const own = new GrainFacts(of);
  assert.deepEqual([...own.critical], [0, 0, 1]);
  assert.deepEqual([...own.joinedAt], [kNone, 3, 3]);
  const scene = makeForm("lines", own, all());
  assert.deepEqual(
    boxes(scene).map((n) => scene.nodes.critical[n]),
    [0, 1],
  );
});
