// Labels, the selection and the hovered node: few things, drawn with the browser's own text and lines.

import { count, many, time } from "../data/format";
import { GrainKind, kGrainKindNames, kNone, Model, NodeKind } from "../data/model";
import type { Scene } from "../data/scene";
import type { Blocks } from "./blocks";
import type { Frame } from "./raster";

export interface OverlayStyle {
  text: (colour: number) => string;
  selection: string;
  hover: string;
  halo: string;
  dependence: string;
  colourOf: (node: number) => number;
  dependences: [number, number][]; // of the selected grain: nodes that it waits for and that wait for it
}

const kMostLabels = 600; // more cannot be read, and text is the one slow thing here
const kLabelWidth = 34; // CSS pixels of a box's width from which its label is tried
const kMostOutlined = 2000;
const kMostArrows = 400;

function labelOf(model: Model, scene: Scene, node: number): string[] {
  const { nodes } = scene;
  const { grains } = model;
  const grain = nodes.grain[node];
  const kind = nodes.kind[node];
  const present = (lines: string[]) => lines.filter((s) => s !== "");
  if (
    kind === NodeKind.chunk ||
    (kind === NodeKind.fragment && grain !== kNone && grains.kind[grain] === GrainKind.chunk)
  ) {
    const first = grain === kNone ? -1 : grains.firstIteration[grain];
    const n = grain === kNone ? -1 : grains.iterations[grain];
    const range = first < 0 || n <= 0 ? "" : n === 1 ? `${first}` : `${first}-${first + n - 1}`;
    return present([range, time(nodes.weight[node]), model.placeOf(model.sourceOfNode(nodes, node))]);
  }
  if (kind === NodeKind.fragment) {
    const source = grain === kNone ? kNone : grains.source[grain];
    const codelet = model.codeletOf(grain);
    return present([
      codelet < 0 ? "" : `${codelet}`,
      time(nodes.weight[node]),
      source === kNone ? "" : model.placeOf(source),
    ]);
  }
  if (kind !== NodeKind.aggregate) return [];
  if (!scene.grainsOf) return [`${count(nodes.members[node])} nodes`, time(nodes.weight[node])];
  if (scene.form === "grains" && grain !== kNone && grains.kind[grain] === GrainKind.implicit)
    return [`t${grains.thread[grain]}`, time(nodes.weight[node])];
  const source = nodes.source[node];
  const first = scene.grainsOf.of(node)[0];
  const name = source === kNone ? kGrainKindNames[grains.kind[first]] : model.placeOf(source);
  const members = nodes.members[node] > 0 ? many(nodes.members[node], "grain") : "";
  if (scene.form === "depths" && grains.kind[first] === GrainKind.task)
    return [`depth ${grains.depth[first]}`, name, `${members}, ${time(nodes.weight[node])}`];
  return present([name, members, time(nodes.weight[node])]);
}

// Returns whether there is anything to see.
export function drawOverlay(
  c: CanvasRenderingContext2D,
  f: Frame,
  model: Model,
  scene: Scene,
  blocks: Blocks,
  style: OverlayStyle,
  selected: number,
  hovered: number,
): boolean {
  const { left, right, top, bottom } = blocks.rects;
  const widest = (scene.form === "lines" || scene.form === "depths" ? right[0] - left[0] : 56) * f.sx;
  const labelled = widest >= kLabelWidth * f.pixelRatio;
  if (!labelled && selected < 0 && hovered < 0) return false;
  c.setTransform(1, 0, 0, 1, 0, 0);
  c.clearRect(0, 0, c.canvas.width, c.canvas.height);
  const ratio = f.pixelRatio;
  const box = (i: number): [number, number, number, number] => [
    (left[i] - f.x0) * f.sx,
    (top[i] - f.y0) * f.sy,
    (right[i] - left[i]) * f.sx,
    (bottom[i] - top[i]) * f.sy,
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
      const lines = labelOf(model, scene, i)
        .slice(0, fit)
        .filter((s) => c.measureText(s).width <= w - 4 * ratio);
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
    for (const [stroke, extra] of [
      [style.halo, 2.5],
      [colour, 0],
    ] as const) {
      c.strokeStyle = stroke;
      c.lineWidth = (width + extra) * ratio;
      c.strokeRect(...args);
    }
  };
  // From the bottom of one box to the top of another, with a head.
  const arrow = (from: number, to: number) => {
    const [x, y, w, h] = box(from);
    const [tx, ty, tw] = box(to);
    const [x0, y0, x1, y1] = [x + w / 2, y + h, tx + tw / 2, ty];
    const bend = Math.max(12 * ratio, Math.abs(y1 - y0) / 2);
    c.strokeStyle = c.fillStyle = style.dependence;
    c.lineWidth = 1.6 * ratio;
    c.beginPath();
    c.moveTo(x0, y0);
    c.bezierCurveTo(x0, y0 + bend, x1, y1 - bend, x1, y1);
    c.stroke();
    c.beginPath();
    c.moveTo(x1, y1);
    c.lineTo(x1 - 3.5 * ratio, y1 - 7 * ratio);
    c.lineTo(x1 + 3.5 * ratio, y1 - 7 * ratio);
    c.fill();
  };
  if (hovered >= 0 && hovered !== selected) outline(hovered, style.hover, 1, 5);
  if (selected < 0) return true;
  for (const [from, to] of style.dependences.slice(0, kMostArrows)) arrow(from, to);
  const grain = scene.nodes.grain[selected];
  if (grain !== kNone) {
    // The grain's other nodes too, as far as they are not too many to see.
    const all = scene.nodesOf.of(grain);
    const structure = (kind: number) => kind === NodeKind.fork || kind === NodeKind.join || kind === NodeKind.joint;
    if (all.length <= kMostOutlined)
      for (const i of all) if (i !== selected && !structure(scene.nodes.kind[i])) outline(i, style.selection, 1, 3);
  }
  outline(selected, style.selection, 2.5, 7);
  return true;
}
