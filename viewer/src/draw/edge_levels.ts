// Edges in levels by length: the longest first, each level four times as many as all before it. A far view draws the
// first levels, a near one all; and a level's short edges do not spoil the bounding boxes of its runs.
import { Blocks } from "./blocks";
import type { Segments } from "./geometry";

const kFirst = 1500;

export interface EdgeLevel {
  blocks: Blocks;
  kind: Uint8Array;
  before: number; // edges in the levels before this one
}

function subset(s: Segments, indices: Uint32Array): Segments {
  const pick = (a: Int32Array) => Int32Array.from(indices, (i) => a[i]);
  return {
    count: indices.length, left: pick(s.left), right: pick(s.right), top: pick(s.top), bottom: pick(s.bottom),
    kind: Uint8Array.from(indices, (i) => s.kind[i]),
  };
}

export function edgeLevels(s: Segments): EdgeLevel[] {
  // Sorting doubles (length above, index below) is ten times faster than sorting indices with a function.
  const packed = new Float64Array(s.count);
  for (let i = 0; i < s.count; i++) {
    const length = Math.max(s.right[i] - s.left[i], s.bottom[i] - s.top[i]);
    packed[i] = Math.min(length, 4194303) * 2147483648 + i;
  }
  packed.sort().reverse();
  const levels: EdgeLevel[] = [];
  for (let begin = 0, size = kFirst; begin < s.count; begin += size, size = begin * 4) {
    // Within a level in the table's order: neighbours in the picture stay neighbours.
    const indices = Uint32Array.from(packed.subarray(begin, begin + size), (v) => v % 2147483648).sort();
    const edges = subset(s, indices);
    levels.push({ blocks: new Blocks(edges), kind: edges.kind, before: begin });
  }
  return levels;
}
