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

// Loops, not from(..., function): on millions of edges that is ten times as fast.
function subset(s: Segments, indices: Uint32Array): Segments {
  const n = indices.length;
  const pick = (a: Int32Array) => {
    const out = new Int32Array(n);
    for (let i = 0; i < n; i++) out[i] = a[indices[i]];
    return out;
  };
  const kind = new Uint8Array(n);
  for (let i = 0; i < n; i++) kind[i] = s.kind[indices[i]];
  return { count: n, left: pick(s.left), right: pick(s.right), top: pick(s.top), bottom: pick(s.bottom), kind };
}

const kBuckets = 65536;
const kBucket = 64; // layout units: lengths that differ by less are alike

// The longest first: a counting sort.
function byLength(s: Segments): Uint32Array {
  const bucket = new Uint16Array(s.count);
  const before = new Uint32Array(kBuckets + 1);
  for (let i = 0; i < s.count; i++) {
    const length = Math.max(s.right[i] - s.left[i], s.bottom[i] - s.top[i]);
    bucket[i] = kBuckets - 1 - Math.min(kBuckets - 1, Math.floor(length / kBucket));
    before[bucket[i] + 1]++;
  }
  for (let b = 0; b < kBuckets; b++) before[b + 1] += before[b];
  const order = new Uint32Array(s.count);
  for (let i = 0; i < s.count; i++) order[before[bucket[i]]++] = i;
  return order;
}

export function edgeLevels(s: Segments): EdgeLevel[] {
  const order = byLength(s);
  const levels: EdgeLevel[] = [];
  for (let begin = 0, size = kFirst; begin < s.count; begin += size, size = begin * 4) {
    // Within a level in the table's order: neighbours in the picture stay neighbours.
    const edges = subset(s, order.slice(begin, begin + size).sort());
    levels.push({ blocks: new Blocks(edges), kind: edges.kind, before: begin });
  }
  return levels;
}
