// Finding grains: by file:line, file, function, construct, or the grain's id.
import { kNone, Model, NodeKind } from "./model";

export interface SearchResult {
  lit: Uint8Array; // per node
  stops: Uint32Array; // nodes to step through: the first of every grain found; if none was, the joins found
  grains: number;
}

function matchingSources(model: Model, query: string): Uint8Array {
  const out = new Uint8Array(model.sources.length);
  const text = query.toLowerCase();
  const place = /^(.*):(\d+)$/.exec(text);
  model.sources.forEach((s, i) => {
    const file = s.file.toLowerCase();
    if (place) {
      const path = place[1];
      out[i] = s.line === Number(place[2]) && (path === "" || file === path || file.endsWith("/" + path)) ? 1 : 0;
    } else {
      out[i] = [file, s.function.toLowerCase(), s.construct.toLowerCase()].some((t) => t.includes(text)) ? 1 : 0;
    }
  });
  return out;
}

function light(model: Model, grains: Uint8Array, sources: Uint8Array | null): SearchResult {
  const { nodes } = model;
  const lit = new Uint8Array(nodes.count);
  const visited = new Uint8Array(model.grains.count);
  const stops: number[] = [];
  const joins: number[] = [];
  for (let i = 0; i < nodes.count; i++) {
    const grain = nodes.grain[i];
    const structure = nodes.kind[i] === NodeKind.fork || nodes.kind[i] === NodeKind.join;
    const source = nodes.source[i];
    const bySource = sources !== null && source !== kNone && sources[source] === 1;
    if (!structure && grain !== kNone && grains[grain]) {
      lit[i] = 1;
      if (!visited[grain]) {
        visited[grain] = 1;
        stops.push(i);
      }
    } else if (bySource && nodes.kind[i] !== NodeKind.fork) {
      lit[i] = 1;
      joins.push(i);
    }
  }
  return { lit, stops: Uint32Array.from(stops.length > 0 ? stops : joins), grains: stops.length };
}

export function searchSource(model: Model, source: number): SearchResult {
  const sources = new Uint8Array(model.sources.length);
  sources[source] = 1;
  return bySources(model, sources);
}

function bySources(model: Model, sources: Uint8Array): SearchResult {
  const grains = new Uint8Array(model.grains.count);
  for (let g = 0; g < grains.length; g++) {
    const s = model.grains.source[g];
    if (s !== kNone && sources[s]) grains[g] = 1;
  }
  return light(model, grains, sources);
}

// Null for an empty query.
export function search(model: Model, query: string): SearchResult | null {
  const text = query.trim();
  if (text === "") return null;
  if (/^[0-9a-f]{6,32}$/i.test(text)) {
    const grains = new Uint8Array(model.grains.count);
    const wanted = text.toLowerCase();
    let any = false;
    const head = parseInt(wanted.slice(0, 8).padEnd(8, "0"), 16);
    const mask = wanted.length >= 8 ? 0xffffffff : (0xffffffff << (4 * (8 - wanted.length))) >>> 0;
    for (let g = 0; g < grains.length; g++) {
      if (((model.grains.id[0][g] & mask) >>> 0) !== head) continue; // most fall out here, without making a string
      if (!model.idOf(g).startsWith(wanted)) continue;
      grains[g] = 1;
      any = true;
    }
    if (any) return light(model, grains, null);
  }
  return bySources(model, matchingSources(model, text));
}
