import assert from "node:assert/strict";
import test from "node:test";
import { codeletGraphOf, kBoxHeight, kBoxWidth, pictureOf } from "./codelets";
import type { CodeletGraph } from "./page";

function graph(codelets: number, arcs: [number, number][], source?: number): CodeletGraph {
  return {
    name: "g",
    procedure: false,
    runs: 1,
    source,
    codelets: Array.from({ length: codelets }, (_, i) => ({
      executed: 1,
      recorded: 1,
      exec: 100,
      critical: 0,
      source: 10 + i,
    })),
    arcs: arcs.map(([from, to]) => ({ from, to, count: 1 })),
  };
}

test("arcs lead downwards, and no two boxes lie on each other", () => {
  const g = graph(5, [
    [0, 1],
    [0, 2],
    [1, 3],
    [2, 3],
    [0, 3],
    [3, 4],
  ]);
  const { boxes, arcs, width, height } = pictureOf(g);
  for (const [i, { from, to }] of g.arcs.entries()) {
    assert.ok(boxes[to].y >= boxes[from].y + kBoxHeight, `${from} is above ${to}`);
    assert.equal(arcs[i].back, false);
    // Past the box in between, not below it.
    if (from === 0 && to === 3) assert.ok(arcs[i].x < boxes[1].x);
  }
  assert.equal(boxes[1].y, boxes[2].y);
  for (const [i, a] of boxes.entries()) {
    assert.ok(a.x >= 0 && a.x + kBoxWidth <= width && a.y >= 0 && a.y + kBoxHeight <= height);
    for (const b of boxes.slice(i + 1))
      assert.ok(Math.abs(a.x - b.x) >= kBoxWidth || Math.abs(a.y - b.y) >= kBoxHeight);
  }
});

test("a circle has one arc that leads back, and so has a codelet that follows itself", () => {
  const { arcs, boxes } = pictureOf(
    graph(3, [
      [0, 1],
      [1, 2],
      [2, 1],
      [0, 0],
    ]),
  );
  assert.deepEqual(
    arcs.map((a) => a.back),
    [false, false, true, true],
  );
  assert.ok(boxes[2].y > boxes[1].y);
});

test("none is left out, whatever leads where", () => {
  const all: [number, number][] = [];
  for (let from = 0; from < 6; from++) for (let to = 0; to < 6; to++) all.push([from, to]);
  const { boxes } = pictureOf(graph(6, all));
  assert.equal(new Set(boxes.map((b) => `${b.x} ${b.y}`)).size, 6);
  assert.deepEqual(pictureOf(graph(0, [])).boxes, []);
});

test("a source line's graph", () => {
  const graphs = [graph(2, []), graph(0, [], 3)];
  assert.equal(codeletGraphOf(graphs, 11), 0);
  assert.equal(codeletGraphOf(graphs, 3), 1);
  assert.equal(codeletGraphOf(graphs, 4), -1);
});
