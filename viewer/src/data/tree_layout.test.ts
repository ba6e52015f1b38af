import assert from "node:assert/strict";
import { test } from "node:test";
import { kLengths } from "../testing/recording";
import { kNone, NodeKind, type Nodes } from "./model";
import { layoutTree, type Tree } from "./tree_layout";

function treeOf(parent: number[], waits = true): Tree {
  const n = parent.length;
  return {
    count: n,
    parent: Uint32Array.from(parent),
    key: new Float64Array(n),
    weight: new Float64Array(n).fill(100),
    members: new Uint32Array(n).fill(1),
    critical: new Uint8Array(n),
    waits,
  };
}

// A tree by the dice, the same in every run: each hangs below one before it.
function someTree(n: number): number[] {
  let seed = 1;
  const dice = (most: number) => {
    seed = (seed * 48271) % 2147483647;
    return seed % most;
  };
  return Array.from({ length: n }, (_, i) => (i === 0 ? kNone : dice(i)));
}

function overlap({ x, y, width, height, count }: Nodes): string | null {
  for (let a = 0; a < count; a++)
    for (let b = a + 1; b < count; b++) {
      const apartX = Math.abs(x[a] - x[b]) >= (width[a] + width[b]) / 2;
      const apartY = y[a] + height[a] <= y[b] || y[b] + height[b] <= y[a];
      if (!apartX && !apartY) return `${a} and ${b}`;
    }
  return null;
}

for (const waits of [true, false])
  test(`no two boxes overlap, all are inside, every edge leads down (${waits ? "joined" : "forked only"})`, () => {
    const { nodes, edges, extent } = layoutTree(treeOf(someTree(200), waits), kLengths);
    assert.equal(overlap(nodes), null);
    for (let i = 0; i < nodes.count; i++) {
      assert.ok(nodes.x[i] - nodes.width[i] / 2 >= extent.left && nodes.x[i] + nodes.width[i] / 2 <= extent.right);
      assert.ok(nodes.y[i] >= extent.top && nodes.y[i] + nodes.height[i] <= extent.bottom);
    }
    assert.ok(edges.count > 0);
    for (let e = 0; e < edges.count; e++) {
      const [from, to] = [edges.from[e], edges.to[e]];
      assert.ok(nodes.y[from] + nodes.height[from] <= nodes.y[to], `edge ${e}: ${from} to ${to}`);
    }
  });

test("several that are waited for stand between a fork and a join, one alone below its parent", () => {
  const { nodes, nodeOf, forkOf } = layoutTree(treeOf([kNone, 0, 0, 1]), kLengths);
  const kinds = Array.from(nodes.kind);
  assert.deepEqual(kinds.filter((k) => k === NodeKind.fork).length, 1);
  assert.deepEqual(kinds.filter((k) => k === NodeKind.join).length, 1);
  assert.equal(nodes.count, 6);
  const [fork, join] = [kinds.indexOf(NodeKind.fork), kinds.indexOf(NodeKind.join)];
  assert.deepEqual([forkOf[fork], forkOf[join], forkOf[nodeOf[0]]], [0, 0, kNone]);
  assert.equal(nodes.x[nodeOf[3]], nodes.x[nodeOf[1]]);
  for (const child of [1, 2]) {
    assert.ok(nodes.y[fork] < nodes.y[nodeOf[child]] && nodes.y[nodeOf[child]] < nodes.y[join]);
  }
});

test("children with another key are another group, below the first", () => {
  const tree = treeOf([kNone, 0, 0, 0, 0]);
  tree.key.set([0, 1, 1, 2, 2]);
  const { nodes, nodeOf } = layoutTree(tree, kLengths);
  assert.equal(Array.from(nodes.kind).filter((k) => k === NodeKind.join).length, 2);
  assert.ok(nodes.y[nodeOf[3]] > nodes.y[nodeOf[1]] + nodes.height[nodeOf[1]]);
  assert.equal(overlap(nodes), null);
});

test("more time is a taller box", () => {
  const tree = treeOf([kNone, ...Array<number>(100).fill(0)]);
  tree.weight.fill(90).set([0, 30, 60, 180, 90000]);
  const { nodes, nodeOf } = layoutTree(tree, kLengths);
  const [none, short, long, twice, longest, usual] = Array.from(nodeOf, (n) => nodes.height[n]);
  assert.ok(none > 0);
  assert.deepEqual([long - none, usual - none], [2 * (short - none), 3 * (short - none)], "linear for most");
  assert.equal(longest - usual, Math.round((twice - usual) * Math.log2(1000)), "an octave is always as much");
});

test("a chain of 200,000 is no different, and fits into the numbers of the picture", () => {
  const { nodes, extent } = layoutTree(
    treeOf(Array.from({ length: 200_000 }, (_, i) => (i === 0 ? kNone : i - 1))),
    kLengths,
  );
  assert.equal(nodes.count, 200_000);
  assert.ok(extent.bottom <= 2147483647 && nodes.y[nodes.count - 1] < extent.bottom);
});
