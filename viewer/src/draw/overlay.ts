// Labels, the selection and the hovered node: few things, drawn with the browser's own text and lines.
import { Model, NodeKind, kNone } from "../model";
import { time, count } from "../format";
import type { Blocks } from "./blocks";
import type { Frame } from "./raster";

export interface OverlayStyle { text: (colour: number) => string; selection: string; hover: string; halo: string; colourOf: (node: number) => number }

const kMostLabels = 600; // more cannot be read, and text is the one slow thing here
const kLabelWidth = 34; // CSS pixels of a box's width from which its label is tried

function labelOf(model: Model, node: number): string[] {
  const { nodes, grains } = model;
  const grain = nodes.grain[node];
  switch (nodes.kind[node]) {
    case NodeKind.chunk: {
      const first = grain === kNone ? -1 : grains.firstIteration[grain];
      const n = grain === kNone ? -1 : grains.iterations[grain];
      const range = first < 0 || n <= 0 ? "" : n === 1 ? `${first}` : `${first}-${first + n - 1}`;
      return [range, time(nodes.weight[node]), model.placeOf(model.sourceOfNode(node))].filter((s) => s !== "");
    }
    case NodeKind.fragment: {
      const source = grain === kNone ? kNone : grains.source[grain];
      return [time(nodes.weight[node]), source === kNone ? "" : model.placeOf(source)].filter((s) => s !== "");
    }
    case NodeKind.aggregate:
      return [`${count(nodes.members[node])} nodes`, time(nodes.weight[node])];
    default:
      return [];
  }
}

// Returns whether there is anything to see.
export function drawOverlay(c: CanvasRenderingContext2D, f: Frame, model: Model, blocks: Blocks, style: OverlayStyle,
                            selected: number, hovered: number): boolean {
  const widest = 56 * f.sx;
  const labelled = widest >= kLabelWidth * f.pixelRatio;
  if (!labelled && selected < 0 && hovered < 0) return false;
  c.setTransform(1, 0, 0, 1, 0, 0);
  c.clearRect(0, 0, c.canvas.width, c.canvas.height);
  const ratio = f.pixelRatio;
  const { left, right, top, bottom } = blocks.rects;
  const box = (i: number): [number, number, number, number] => [
    (left[i] - f.x0) * f.sx, (top[i] - f.y0) * f.sy, (right[i] - left[i]) * f.sx, (bottom[i] - top[i]) * f.sy,
  ];

  if (labelled) {
    const size = Math.min(12, Math.max(9, widest / ratio / 5));
    c.font = `${size * ratio}px system-ui, sans-serif`;
    c.textAlign = "center";
    c.textBaseline = "middle";
    const line = size * 1.25 * ratio;
    let labels = 0;
    blocks.within(f.x0, f.y0, f.x0 + f.width / f.sx, f.y0 + f.height / f.sy, (i) => {
      const [x, y, w, h] = box(i);
      const fit = Math.floor((h - 3 * ratio) / line);
      if (fit < 1 || w < kLabelWidth * ratio) return true;
      const lines = labelOf(model, i).slice(0, fit).filter((s) => c.measureText(s).width <= w - 4 * ratio);
      c.fillStyle = style.text(style.colourOf(i));
      lines.forEach((s, k) => c.fillText(s, x + w / 2, y + h / 2 + (k - (lines.length - 1) / 2) * line));
      return ++labels < kMostLabels;
    });
  }

  const outline = (i: number, colour: string, width: number, least: number) => {
    const [x, y, w, h] = box(i);
    const ww = Math.max(w, least * ratio);
    const hh = Math.max(h, least * ratio);
    const pad = 2.5 * ratio;
    const args = [x + (w - ww) / 2 - pad, y + (h - hh) / 2 - pad, ww + 2 * pad, hh + 2 * pad] as const;
    for (const [stroke, extra] of [[style.halo, 2.5], [colour, 0]] as const) {
      c.strokeStyle = stroke;
      c.lineWidth = (width + extra) * ratio;
      c.strokeRect(...args);
    }
  };
  if (hovered >= 0 && hovered !== selected) outline(hovered, style.hover, 1, 5);
  if (selected < 0) return true;
  const grain = model.nodes.grain[selected];
  if (grain !== kNone) {
    // The grain's other nodes too, as far as they are not too many to see.
    const all = model.nodesOf.of(grain);
    if (all.length <= 2000)
      for (const i of all)
        if (i !== selected && model.nodes.kind[i] !== NodeKind.fork && model.nodes.kind[i] !== NodeKind.join && model.nodes.kind[i] !== NodeKind.joint) outline(i, style.selection, 1, 3);
  }
  outline(selected, style.selection, 2.5, 7);
  return true;
}
