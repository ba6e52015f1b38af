// One frame of the graph: edges, nodes, then what must be seen at every zoom (critical path, search matches) on top.
// Runs in the worker; knows pixels and tables, nothing of the page.
import type { Boxes, Edges } from "../data/model";
import { Blocks, kBlock } from "./blocks";
import { Density } from "./density";
import { EdgeLevel, edgeLevels } from "./edge_levels";
import { type EdgeLengths, edgeSegments, nodeRects } from "./geometry";
import { Surface } from "./surface";
import { Upon } from "./upon";

export interface Frame {
  width: number; // of the picture, in device pixels
  height: number;
  x0: number; // layout coordinates of the top left corner
  y0: number;
  sx: number; // device pixels per layout unit
  sy: number;
  pixelRatio: number;
}

export interface Paint {
  colour: Uint32Array; // per node
  matched: Uint32Array; // nodes drawn on top, because a search found them
  dimmed: boolean; // all others are dimmed: edges too
  showCritical: boolean;
  showDependences: boolean;
  background: number;
  critical: number;
  edge: [number, number, number, number]; // creation, join, continuation, dependence
  rim: number; // 0 or 255: rims are mixed towards black or white
}

const kDisc = (1 << 1) | (1 << 2) | (1 << 5); // NodeKind fork, join and joint
const kDetail = 2; // device pixels of a box's width from which nodes are drawn as shapes
const kEdgesFrom = 1.5; // ... from which all edges are drawn, getting stronger up to
const kEdgesFull = 6;
const kFaintEdge = 0.4; // how strong they are at first
const kFaintDependence = 0.4; // of the strength of other edges: they lie across everything
const kLongEdge = 20; // device pixels from which an edge is drawn at any zoom: they show what hangs together
const kMostLongEdges = 1500; // of either direction in about one window: more would cover the nodes
const kBoxWidth = 56; // layout units: kBoxWidth in layout.cpp

function towards(colour: number, target: number, share: number): number {
  const mix = (shift: number) => {
    const c = (colour >> shift) & 255;
    return Math.round(c + (target - c) * share) << shift;
  };
  return mix(0) | mix(8) | mix(16);
}

export class Raster {
  private readonly nodeBlocks: Blocks;
  private readonly edges: EdgeLevel[];
  private readonly dependences: EdgeLevel[];
  private readonly criticalEdges: Blocks;
  private readonly density = new Density();
  private readonly criticalNodes: Uint32Array;
  private readonly criticalBlocks: Blocks; // of these
  private rows = new Upon(0); // of a frame, what was drawn in each row and column of pixels so far
  private columns = new Upon(0);
  private readonly extent: number; // width of the whole picture, in layout units
  private paint: Paint | null = null;
  private shown: { frame: Frame; surface: Surface } | null = null;
  private longEdges = 0; // how many of the longest edges this zoom shows
  private blockColour = new Uint32Array(0); // mean of a run, weighted by area
  private blockArea = new Float64Array(0); // sum of areas, in square layout units

  constructor(
    private readonly nodes: Boxes,
    edges: Edges,
    lengths: EdgeLengths,
  ) {
    this.nodeBlocks = new Blocks(nodeRects(nodes));
    const segments = edgeSegments(nodes, edges, lengths);
    this.edges = [...edgeLevels(segments.horizontal), ...edgeLevels(segments.vertical)];
    this.dependences = edgeLevels(segments.dependence);
    this.criticalEdges = new Blocks(segments.critical);
    const { left, right, top, bottom, count } = this.nodeBlocks.rects;
    let from = 0;
    let to = 1;
    for (let i = 0; i < count; i++) {
      if (left[i] < from) from = left[i];
      if (right[i] > to) to = right[i];
    }
    this.extent = to - from;
    const critical: number[] = [];
    for (let i = 0; i < nodes.count; i++) if (nodes.critical[i]) critical.push(i);
    this.criticalNodes = Uint32Array.from(critical);
    const of = (side: Int32Array) => Int32Array.from(critical, (i) => side[i]);
    this.criticalBlocks = new Blocks({
      count: critical.length,
      left: of(left),
      right: of(right),
      top: of(top),
      bottom: of(bottom),
    });
  }

  setPaint(paint: Paint): void {
    this.paint = paint;
    this.shown = null;
    const { left, right, top, bottom, count } = this.nodeBlocks.rects;
    this.blockColour = new Uint32Array(this.nodeBlocks.count);
    this.blockArea = new Float64Array(this.nodeBlocks.count);
    for (let k = 0, i = 0; k < this.nodeBlocks.count; k++) {
      let r = 0,
        g = 0,
        b = 0,
        area = 0;
      for (const end = Math.min(count, (k + 1) * kBlock); i < end; i++) {
        const a = (right[i] - left[i]) * (bottom[i] - top[i]);
        const c = paint.colour[i];
        r += (c & 255) * a;
        g += ((c >> 8) & 255) * a;
        b += ((c >> 16) & 255) * a;
        area += a;
      }
      this.blockArea[k] = area;
      this.blockColour[k] = (Math.round(b / area) << 16) | (Math.round(g / area) << 8) | Math.round(r / area);
    }
  }

  // Draws into `buffer` (width * height * 4 bytes) and returns how many nodes went into the picture. A picture that has
  // only moved by whole pixels is taken over, and just the strips that came into sight are drawn.
  draw(frame: Frame, buffer: ArrayBuffer): number {
    const target = new Surface(buffer, frame.width, frame.height);
    const before = this.shown;
    this.longEdges = kMostLongEdges * Math.max(1, (this.extent * frame.sx) / frame.width);
    const moved =
      before &&
      before.frame.sx === frame.sx &&
      before.frame.sy === frame.sy &&
      before.surface.width === frame.width &&
      before.surface.height === frame.height;
    const dx = moved ? Math.round((before.frame.x0 - frame.x0) * frame.sx) : frame.width;
    const dy = moved ? Math.round((before.frame.y0 - frame.y0) * frame.sy) : frame.height;
    if (moved && Math.abs(dx) < frame.width / 2 && Math.abs(dy) < frame.height / 2) {
      target.copy(before.surface, dx, dy);
      if (dx !== 0) this.drawStrip(target, frame, dx > 0 ? 0 : frame.width + dx, 0, Math.abs(dx), frame.height);
      if (dy !== 0) this.drawStrip(target, frame, 0, dy > 0 ? 0 : frame.height + dy, frame.width, Math.abs(dy));
    } else {
      this.drawWhole(target, frame);
    }
    const keep =
      before && moved ? before.surface : new Surface(new ArrayBuffer(buffer.byteLength), frame.width, frame.height);
    keep.pixels.set(target.pixels);
    this.shown = { frame: { ...frame }, surface: keep };
    return this.nodeBlocks.countWithin(...this.bounds(frame));
  }

  private drawStrip(target: Surface, frame: Frame, x: number, y: number, width: number, height: number): void {
    const strip = new Surface(new ArrayBuffer(width * height * 4), width, height);
    this.drawWhole(strip, { ...frame, width, height, x0: frame.x0 + x / frame.sx, y0: frame.y0 + y / frame.sy });
    target.copy(strip, x, y);
  }

  private drawWhole(surface: Surface, frame: Frame): void {
    const paint = this.paint;
    if (!paint) return;
    surface.clear(paint.background);
    this.rows = new Upon(frame.height);
    this.columns = new Upon(frame.width);
    const detail = kBoxWidth * frame.sx >= kDetail * frame.pixelRatio;
    this.drawEdges(surface, frame, paint);
    if (detail) this.drawShapes(surface, frame, paint);
    else this.drawDensity(surface, frame, paint);
    if (paint.showCritical) this.drawCritical(surface, frame, paint, detail);
    if (paint.matched.length > 0) this.drawMatched(surface, frame, paint);
  }

  // The whole picture, small. `buffer`: width * height * 4 bytes.
  drawMap(frame: Frame, buffer: ArrayBuffer): void {
    const longEdges = this.longEdges;
    this.longEdges = 0;
    this.drawWhole(new Surface(buffer, frame.width, frame.height), frame);
    this.longEdges = longEdges;
  }

  private bounds(f: Frame): [number, number, number, number] {
    return [f.x0, f.y0, f.x0 + f.width / f.sx, f.y0 + f.height / f.sy];
  }

  private drawDensity(surface: Surface, f: Frame, paint: Paint): void {
    const { x0, y0, sx, sy } = f;
    const [l, t, r, b] = this.bounds(f);
    const blocks = this.nodeBlocks;
    const { left, right, top, bottom } = blocks.rects;
    this.density.begin(f.width, f.height);
    for (let k = 0; k < blocks.count; k++) {
      if (!blocks.touches(k, l, t, r, b)) continue;
      const begin = blocks.begin(k);
      const end = blocks.end(k);
      if (blocks.width(k) * sx <= 1 && blocks.height(k) * sy <= 1) {
        // The whole run inside one pixel.
        const x = (blocks.middleX(k) - x0) * sx;
        const y = (blocks.middleY(k) - y0) * sy;
        if (x >= 0 && y >= 0 && x < f.width && y < f.height) {
          const px = Math.floor(x);
          const py = Math.floor(y);
          this.density.add(px, py, px + 1, py + 1, this.blockColour[k], this.blockArea[k] * sx * sy);
        }
        continue;
      }
      for (let i = begin; i < end; i++) {
        if (right[i] < l || left[i] > r || bottom[i] < t || top[i] > b) continue;
        this.density.add(
          (left[i] - x0) * sx,
          (top[i] - y0) * sy,
          (right[i] - x0) * sx,
          (bottom[i] - y0) * sy,
          paint.colour[i],
          1,
        );
      }
    }
    this.density.resolve(surface);
  }

  private drawShapes(surface: Surface, f: Frame, paint: Paint): void {
    const [l, t, r, b] = this.bounds(f);
    const { left, right, top, bottom } = this.nodeBlocks.rects;
    const box = kBoxWidth * f.sx;
    const rimWidth = box >= 6 * f.pixelRatio ? Math.max(1, Math.round(f.pixelRatio)) : 0;
    this.nodeBlocks.within(l, t, r, b, (i) => {
      const colour = paint.colour[i];
      const px = (left[i] - f.x0) * f.sx;
      const py = (top[i] - f.y0) * f.sy;
      const pw = (right[i] - left[i]) * f.sx;
      const ph = (bottom[i] - top[i]) * f.sy;
      if ((kDisc >> this.nodes.kind[i]) & 1 && Math.min(pw, ph) >= 3) {
        surface.disc(
          px + pw / 2,
          py + ph / 2,
          Math.min(pw, ph) / 2,
          colour,
          towards(colour, paint.rim, 0.35),
          rimWidth,
        );
      } else {
        const x = Math.floor(px);
        const y = Math.floor(py);
        surface.box(
          x,
          y,
          Math.max(x + 1, Math.floor(px + pw)),
          Math.max(y + 1, Math.floor(py + ph)),
          colour,
          towards(colour, paint.rim, 0.35),
          ph >= 5 * f.pixelRatio ? rimWidth : 0,
        );
      }
    });
  }

  private drawEdges(surface: Surface, f: Frame, paint: Paint): void {
    const box = (kBoxWidth * f.sx) / f.pixelRatio;
    const grown = Math.max(0, Math.min(1, (box - kEdgesFrom) / (kEdgesFull - kEdgesFrom)));
    const alpha = Math.round(256 * (kFaintEdge + (1 - kFaintEdge) * grown) * (paint.dimmed ? 0.35 : 1));
    const thick = Math.max(1, Math.round(f.pixelRatio * Math.min(2, Math.max(1, box / 24))));
    const [l, t, r, b] = this.bounds(f);
    const all = box >= kEdgesFrom;
    for (const level of paint.showDependences ? [...this.dependences, ...this.edges] : this.edges) {
      const strength = this.dependences.includes(level) ? Math.round(alpha * kFaintDependence) : alpha;
      if (!all && level.before >= this.longEdges) continue;
      const e = level.blocks.rects;
      level.blocks.within(l, t, r, b, (i) => {
        if (all || (e.right[i] - e.left[i]) * f.sx >= kLongEdge || (e.bottom[i] - e.top[i]) * f.sy >= kLongEdge)
          this.line(
            surface,
            f,
            e.left[i],
            e.top[i],
            e.right[i],
            e.bottom[i],
            thick,
            paint.edge[level.kind[i]],
            strength,
          );
      });
    }
  }

  private line(
    surface: Surface,
    f: Frame,
    l: number,
    t: number,
    r: number,
    b: number,
    thick: number,
    colour: number,
    alpha: number,
  ): void {
    const x = Math.floor((l - f.x0) * f.sx - thick / 2 + 0.5);
    const y = Math.floor((t - f.y0) * f.sy - (t === b ? thick / 2 : 0) + 0.5);
    const x1 = l === r ? x + thick : Math.floor((r - f.x0) * f.sx + thick / 2 + 0.5);
    const y1 = t === b ? y + thick : Math.floor((b - f.y0) * f.sy + 0.5);
    if (
      colour !== this.paint!.critical &&
      (t === b
        ? this.rows.full(y, Math.max(0, x), Math.min(f.width, x1), colour)
        : this.columns.full(x, Math.max(0, y), Math.min(f.height, y1), colour))
    )
      return;
    surface.blendRect(x, y, x1, Math.max(y + 1, y1), colour, alpha);
  }

  private drawCritical(surface: Surface, f: Frame, paint: Paint, detail: boolean): void {
    const [l, t, r, b] = this.bounds(f);
    const thick = Math.max(1, Math.round(f.pixelRatio * (detail ? 2 : 1)));
    const s = this.criticalEdges.rects;
    this.criticalEdges.within(l, t, r, b, (i) =>
      this.line(surface, f, s.left[i], s.top[i], s.right[i], s.bottom[i], thick, paint.critical, 256),
    );
    const rects = this.nodeBlocks.rects;
    this.criticalBlocks.within(l, t, r, b, (k) => {
      const i = this.criticalNodes[k];
      const px = (rects.left[i] - f.x0) * f.sx;
      const py = (rects.top[i] - f.y0) * f.sy;
      const pw = (rects.right[i] - rects.left[i]) * f.sx;
      const ph = (rects.bottom[i] - rects.top[i]) * f.sy;
      const disc = (kDisc >> this.nodes.kind[i]) & 1;
      if (disc && Math.min(pw, ph) >= 3) {
        surface.disc(px + pw / 2, py + ph / 2, Math.min(pw, ph) / 2, paint.colour[i], paint.critical, thick);
        return;
      }
      const x = Math.floor(px);
      const y = Math.floor(py);
      const x1 = Math.max(x + thick, Math.floor(px + pw));
      const y1 = Math.max(y + 1, Math.floor(py + ph));
      if (x1 - x > 2 * thick + 1 && y1 - y > 2 * thick)
        surface.box(x, y, x1, y1, paint.colour[i], paint.critical, thick);
      else surface.fill(x, y, x1, y1, paint.critical);
    });
  }

  // A match must be found with the eye at any zoom: at least three pixels each way.
  private drawMatched(surface: Surface, f: Frame, paint: Paint): void {
    const { left, right, top, bottom } = this.nodeBlocks.rects;
    const [l, t, r, b] = this.bounds(f);
    const least = 3 * f.pixelRatio;
    for (const i of paint.matched) {
      if (right[i] < l || left[i] > r || bottom[i] < t || top[i] > b) continue;
      const pw = (right[i] - left[i]) * f.sx;
      const ph = (bottom[i] - top[i]) * f.sy;
      if (pw >= least && ph >= least) continue; // large enough as it is
      const x = Math.round((left[i] - f.x0) * f.sx + Math.min(0, pw - least) / 2);
      const y = Math.round((top[i] - f.y0) * f.sy + Math.min(0, ph - least) / 2);
      surface.fill(x, y, Math.round(x + Math.max(pw, least)), Math.round(y + Math.max(ph, least)), paint.colour[i]);
    }
  }
}
