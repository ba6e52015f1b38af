// Sets of grains: found by file:line, file, function, construct or id; those of a problem, of a bar of the histogram.
// And what of a picture they light up.
import type { Metric } from "./metrics";
import { GrainKind, kNone, Model, NodeKind } from "./model";
import type { Problem } from "./page";
import type { Inside, Wanted } from "./partial";
import { isPartial } from "./partial";
import type { Scene } from "./scene";

export interface Found {
  grains: Uint8Array; // per grain
  sources: Uint8Array | null; // per source: its joins are lit as well
  what: string; // for people; empty: what was typed
  wanted?: Wanted; // the same for the server, which knows what is not drawn
  inside?: Inside; // its answer
  unanswered?: boolean; // there was none: what is not drawn is not counted
}

export interface Lit {
  nodes: Uint8Array; // per node of the scene
  stops: Uint32Array; // nodes to step through: the first of every grain found; if none was, the joins found
  grains: number; // that were found and are drawn
}

function matchingSources(model: Model, query: string): Uint8Array {
  const out = new Uint8Array(model.sources.length);
  const text = query.toLowerCase();
  const place = /^(.*):(\d+)$/.exec(text);
  model.sources.forEach((s, i) => {
    const file = s.file.toLowerCase();
    if (place) {
      const path = place[1];
      out[i] = s.line === Number(place[2]) && (path === "" || file === path || file.endsWith(`/${path}`)) ? 1 : 0;
    } else {
      out[i] = [file, s.function.toLowerCase(), s.construct.toLowerCase()].some((t) => t.includes(text)) ? 1 : 0;
    }
  });
  return out;
}

export function light(model: Model, scene: Scene, found: Found): Lit {
  const { nodes } = scene;
  const lit = new Uint8Array(nodes.count);
  const visited = new Uint8Array(model.grains.count);
  const stops: number[] = [];
  const joins: number[] = [];
  let grains = 0;
  const one = [0];
  for (let i = 0; i < nodes.count; i++) {
    const kind = nodes.kind[i];
    const structure = kind === NodeKind.fork || kind === NodeKind.join;
    const source = nodes.source[i];
    one[0] = nodes.grain[i];
    const members: ArrayLike<number> = scene.grainsOf ? scene.grainsOf.of(i) : one;
    let fresh = 0;
    let any = false;
    for (let k = 0; k < members.length && !structure; k++) {
      const grain = members[k];
      if (grain === kNone || !found.grains[grain]) continue;
      any = true;
      if (!visited[grain]) {
        visited[grain] = 1;
        // What carries others is found, but counts only where it executed something itself.
        if (!scene.grainsOf || model.isGrain(grain)) fresh++;
      }
    }
    if (any) {
      lit[i] = 1;
      if (fresh > 0) stops.push(i);
      grains += fresh;
    } else if (!scene.grainsOf && found.inside?.nodes[i]) {
      lit[i] = 1;
      stops.push(i);
    } else if (found.sources && source !== kNone && found.sources[source] && kind !== NodeKind.fork) {
      lit[i] = 1;
      joins.push(i);
    }
  }
  return { nodes: lit, stops: Uint32Array.from(stops.length > 0 ? stops : joins), grains };
}

function bySources(model: Model, sources: Uint8Array, what: string): Found {
  const grains = new Uint8Array(model.grains.count);
  for (let g = 0; g < grains.length; g++) {
    const s = model.grains.source[g];
    if (s !== kNone && sources[s]) grains[g] = 1;
  }
  return { grains, sources, what, wanted: { sources, kinds: ~0 >>> 0, leastDepth: 0, remote: false } };
}

export function searchSource(model: Model, source: number): Found {
  const sources = new Uint8Array(model.sources.length);
  sources[source] = 1;
  return bySources(model, sources, model.placeOf(source));
}

// The grains with a value in [from, to), of all or of those in `within`.
export function searchRange(model: Model, metric: Metric, from: number, to: number, within: Uint8Array | null): Found {
  const grains = new Uint8Array(model.grains.count);
  const { values } = metric;
  for (let g = 0; g < grains.length; g++)
    if (values[g] >= from && values[g] < to && model.isGrain(g) && (!within || within[g])) grains[g] = 1;
  return { grains, sources: null, what: `${metric.name} from ${metric.format(from)} to ${metric.format(to)}` };
}

// The grains that a problem is about; where it is about none, its lines' joins.
export function searchProblem(model: Model, problem: Problem, remote: Metric | null, title: string): Found {
  const sources = new Uint8Array(model.sources.length);
  const { about } = problem;
  for (const s of about?.sources ?? problem.sources) sources[s] = 1;
  if (!about)
    return { ...bySources(model, sources, title), grains: new Uint8Array(model.grains.count), wanted: undefined };
  const { grains } = model;
  const found = new Uint8Array(grains.count);
  for (let g = 0; g < grains.count; g++) {
    const s = grains.source[g];
    if (s === kNone || !sources[s] || !((about.kinds >> grains.kind[g]) & 1)) continue;
    if (grains.kind[g] === GrainKind.task && grains.depth[g] < about.least_depth) continue;
    if (about.remote && !((remote?.values[g] ?? 0) > 0)) continue;
    found[g] = 1;
  }
  return {
    grains: found,
    sources,
    what: title,
    wanted: { sources, kinds: about.kinds, leastDepth: about.least_depth, remote: about.remote },
  };
}

// Null for an empty query.
export function search(model: Model, query: string): Found | null {
  const text = query.trim();
  if (text === "") return null;
  if (/^[0-9a-f]{6,32}$/i.test(text)) {
    const grains = new Uint8Array(model.grains.count);
    const wanted = text.toLowerCase();
    let any = false;
    const head = parseInt(wanted.slice(0, 8).padEnd(8, "0"), 16);
    const mask = wanted.length >= 8 ? 0xffffffff : (0xffffffff << (4 * (8 - wanted.length))) >>> 0;
    for (let g = 0; g < grains.length; g++) {
      if ((model.grains.id[0][g] & mask) >>> 0 !== head) continue; // most fall out here, without making a string
      if (!model.idOf(g).startsWith(wanted)) continue;
      grains[g] = 1;
      any = true;
    }
    // Of a part, or of a graph that is cut, the server knows the rest. A word of these letters may name a function,
    // too.
    const elsewhere = isPartial(model) && !matchingSources(model, text).includes(1);
    if (any || elsewhere) return { grains, sources: null, what: "", wanted: { id: wanted } };
  }
  return bySources(model, matchingSources(model, text), "");
}
