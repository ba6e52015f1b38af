// One frame of the timeline: above, how many threads were in which state; below, a lane for each thread. What lies
// within a pixel is mixed by its time, so that every zoom shows all of it. No library for charts has that: they draw
// points and drop those that are too many.

import { count, digits, time } from "../data/format";
import type { Model } from "../data/model";
import { mix } from "./colours";
import type { Lanes } from "./lanes";
import type { TimeView } from "./time_view";

interface TimelineStyle {
  background: number;
  text: string;
  faint: string;
  line: string;
  selection: string;
  states: Record<string, number>; // colour by state
  textOn: (colour: number) => string;
}

export interface TimelineLayout {
  left: number; // CSS pixels: where the lanes begin
  chart: { top: number; height: number };
  queue: { top: number; height: number } | null; // tasks that wait to be started
  lanes: { top: number; height: number; lane: number }; // lane: height of one, gap included
  width: number;
  height: number;
  content: number; // height of all lanes
}

export const kRest = ["overhead", "idle", "blocked", "serial", "offcpu", "recorder", "unattributed"];
// From below: the instantaneous parallelism first.
const kStacked = ["work", "serial", "overhead", "blocked", "recorder", "offcpu", "unattributed", "idle"];
const kLabelFrom = 46; // CSS pixels of a fragment's width

export function timelineLayout(width: number, height: number, threads: number, queued: boolean): TimelineLayout {
  const chart = { top: 18, height: Math.max(50, Math.min(200, height * 0.26)) };
  const queue = queued
    ? { top: chart.top + chart.height + 8, height: Math.max(24, Math.min(64, height * 0.09)) }
    : null;
  const top = (queue ? queue.top + queue.height : chart.top + chart.height) + 30;
  const room = Math.max(20, height - top - 8);
  const lane = Math.max(6, Math.min(72, Math.floor(room / Math.max(1, threads))));
  return { left: 116, chart, queue, lanes: { top, height: room, lane }, width, height, content: lane * threads };
}

// With as many decimals as tell neighbouring ticks apart.
function tickLabel(t: number, step: number): string {
  if (t === 0) return "0";
  const [unit, name] = t >= 1e9 ? [1e9, "s"] : t >= 1e6 ? [1e6, "ms"] : t >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  return `${(t / unit).toFixed(Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / unit) - 1e-9))))} ${name}`;
}

function css(colour: number): string {
  return `rgb(${colour & 255},${(colour >> 8) & 255},${(colour >> 16) & 255})`;
}

// Share of the bins [from, to) ns in which thread `t` was in a state.
function stateShare(model: Model, state: string, t: number, from: number, to: number): number {
  const { binNs, bins, states } = model.timeline!;
  const row = states[state];
  const first = Math.max(0, Math.floor(from / binNs));
  const last = Math.min(bins - 1, Math.ceil(to / binNs) - 1);
  let sum = 0;
  for (let b = first; b <= last; b++)
    sum += row[t * bins + b] * (Math.min(to, (b + 1) * binNs) - Math.max(from, b * binNs));
  return to > from ? sum / 255 / (to - from) : 0;
}

export class TimelinePainter {
  private row = new Uint32Array(0);
  private readonly sums = new Float64Array(4);

  private readonly before = new Map<string, Float64Array>(); // by state: threads in it, summed over the bins before each

  constructor(
    private readonly model: Model,
    private readonly lanes: Lanes,
  ) {}

  private sumsOf(state: string): Float64Array {
    const known = this.before.get(state);
    if (known) return known;
    const { bins, states } = this.model.timeline!;
    const total = new Float64Array(bins + 1);
    for (let t = 0; t < this.lanes.rows.length; t++)
      for (let b = 0; b < bins; b++) total[b + 1] += states[state][t * bins + b] / 255;
    for (let b = 0; b < bins; b++) total[b + 1] += total[b];
    this.before.set(state, total);
    return total;
  }

  // How many threads were in a state, by column.
  private threadsIn(state: string, view: TimeView, columns: number): Float64Array {
    const { binNs, bins } = this.model.timeline!;
    const sums = this.sumsOf(state);
    const until = (at: number) => {
      const b = Math.max(0, Math.min(bins, at));
      const whole = Math.floor(b);
      return sums[whole] + (whole < bins ? (b - whole) * (sums[whole + 1] - sums[whole]) : 0);
    };
    return Float64Array.from({ length: columns }, (_, x) => {
      const from = (view.from + (view.span * x) / columns) / binNs;
      const to = (view.from + (view.span * (x + 1)) / columns) / binNs;
      return (until(to) - until(from)) / (to - from);
    });
  }

  draw(
    c: CanvasRenderingContext2D,
    l: TimelineLayout,
    view: TimeView,
    style: TimelineStyle,
    ratio: number,
    selected: ArrayLike<number>,
  ): void {
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = css(style.background);
    c.fillRect(0, 0, l.width, l.height);
    c.font = "11px system-ui, sans-serif";
    const running = this.drawLanes(c, l, view, style, ratio);
    c.fillStyle = css(style.background); // lanes that are partly scrolled out above end here
    c.fillRect(0, 0, l.width, l.lanes.top);
    this.axis(c, l, view, style);
    this.chart(c, l, view, style, running);
    this.queue(c, l, view, style);
    this.outline(c, l, view, style, selected);
  }

  private axis(c: CanvasRenderingContext2D, l: TimelineLayout, view: TimeView, style: TimelineStyle): void {
    const width = l.width - l.left;
    const rough = (view.span * 90) / Math.max(90, width);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough)!;
    const y = l.lanes.top - 12;
    c.textAlign = "center";
    c.textBaseline = "middle";
    for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
      const x = l.left + ((t - view.from) / view.span) * width;
      c.fillStyle = style.line;
      c.fillRect(Math.round(x), l.chart.top, 1, l.lanes.top - l.chart.top - 20);
      if (x < l.left + 12 || x > l.width - 20) continue;
      c.fillStyle = style.faint;
      c.fillText(tickLabel(t, step), x, y);
    }
  }

  // Returns how many threads executed grains, by pixel column: from the fragments, exactly.
  private drawLanes(
    c: CanvasRenderingContext2D,
    l: TimelineLayout,
    view: TimeView,
    style: TimelineStyle,
    ratio: number,
  ): Float64Array {
    const columns = Math.max(1, Math.round((l.width - l.left) * ratio));
    const running = new Float64Array(columns);
    if (this.row.length !== columns) this.row = new Uint32Array(columns);
    const { lane } = l.lanes;
    const gap = lane >= 10 ? 2 : lane >= 5 ? 1 : 0;
    const tall = Math.max(1, Math.round((lane - gap) * ratio));
    c.textBaseline = "middle";
    for (let t = 0; t < this.lanes.rows.length; t++) {
      const y = l.lanes.top + t * lane - view.scroll;
      const visible = y + lane > l.lanes.top && y < l.height;
      this.mixRow(t, view, style, running, visible);
      if (!visible) continue;
      const image = c.createImageData(columns, tall);
      const words = new Uint32Array(image.data.buffer);
      for (let k = 0; k < tall; k++) words.set(this.row, k * columns);
      c.putImageData(image, Math.round(l.left * ratio), Math.round(y * ratio));
      if (lane >= 16) this.names(c, l, view, style, t, y, lane - gap);
      this.label(c, l, style, t, y + (lane - gap) / 2, lane);
    }
    return running;
  }

  // One thread's colours, pixel by pixel: what it executed, and between that its states.
  private mixRow(t: number, view: TimeView, style: TimelineStyle, running: Float64Array, visible: boolean): void {
    const { lanes, model, sums, row } = this;
    const lane = lanes.rows[t];
    const columns = row.length;
    const each = view.span / columns;
    let k = lanes.firstEndingAfter(lane, view.from);
    const rest = new Float64Array(kRest.length);
    for (let x = 0; x < columns; x++) {
      const from = view.from + x * each;
      k = lanes.sum(lane, from, from + each, k, sums);
      const covered = Math.min(1, sums[3] / each);
      running[x] += covered;
      if (!visible) continue;
      let colour = style.background;
      if (model.timeline && covered < 0.995) {
        let total = 0;
        kRest.forEach((state, s) => (total += rest[s] = stateShare(model, state, t, from, from + each)));
        const work = lanes.aggregated ? stateShare(model, "work", t, from, from + each) : 0;
        total += work;
        if (total > 0.002) {
          let r = 0,
            g = 0,
            b = 0;
          const add = (c: number, w: number) => {
            r += (c & 255) * w;
            g += ((c >> 8) & 255) * w;
            b += ((c >> 16) & 255) * w;
          };
          kRest.forEach((state, s) => add(style.states[state], rest[s] / total));
          add(style.states.work, work / total);
          colour = mix(
            style.background,
            Math.round(r) | (Math.round(g) << 8) | (Math.round(b) << 16),
            Math.min(1, total / Math.max(0.02, 1 - covered)),
          );
        }
      }
      if (sums[3] > 0) {
        const own =
          Math.round(sums[0] / sums[3]) | (Math.round(sums[1] / sums[3]) << 8) | (Math.round(sums[2] / sums[3]) << 16);
        colour = mix(colour, own, Math.max(0.25, covered)); // the shortest of grains leaves a trace
      }
      row[x] = (colour | 0xff000000) >>> 0;
    }
  }

  // Sources of the fragments that are wide enough to carry a name.
  private names(
    c: CanvasRenderingContext2D,
    l: TimelineLayout,
    view: TimeView,
    style: TimelineStyle,
    t: number,
    y: number,
    tall: number,
  ): void {
    const { lanes, model } = this;
    const row = lanes.rows[t];
    const scale = (l.width - l.left) / view.span;
    c.textAlign = "left";
    let looked = 0;
    for (
      let k = lanes.firstEndingAfter(row, view.from);
      k < row.first + row.count && lanes.begin[k] < view.to && looked < 4000;
      k++, looked++
    ) {
      const wide = (lanes.end[k] - lanes.begin[k]) * scale;
      const x0 = l.left + Math.max(0, (lanes.begin[k] - view.from) * scale);
      const x1 = Math.min(l.width, l.left + (lanes.end[k] - view.from) * scale);
      if (wide > 3) {
        // an edge, so that neighbours of one colour are told apart
        c.fillStyle = css(style.background);
        c.fillRect(x0, y, 0.7, tall);
      }
      if (x1 - x0 < kLabelFrom) continue;
      const node = lanes.order[k];
      const grain = model.nodes.grain[node];
      const text = grain === 0 ? "outside parallel regions" : model.placeOf(model.sourceOfNode(model.nodes, node));
      c.fillStyle = style.textOn(this.colourAt(k));
      const whole = `${text}  ${time(model.nodes.weight[node])}`;
      const fits = (s: string) => c.measureText(s).width < x1 - x0 - 8;
      const shown = fits(whole) ? whole : fits(text) ? text : "";
      if (shown && grain >= 0) c.fillText(shown, x0 + 4, y + tall / 2);
    }
  }

  private colourAt(k: number): number {
    this.lanes.sum({ first: k, count: 1, cpus: [], nodes: [] }, this.lanes.begin[k], this.lanes.end[k], k, this.sums);
    const [r, g, b, w] = this.sums;
    return w > 0 ? Math.round(r / w) | (Math.round(g / w) << 8) | (Math.round(b / w) << 16) : 0;
  }

  private label(
    c: CanvasRenderingContext2D,
    l: TimelineLayout,
    style: TimelineStyle,
    t: number,
    y: number,
    lane: number,
  ): void {
    const every = Math.ceil(12 / lane); // of very thin lanes only some are named
    if (t % every !== 0) return;
    c.textAlign = "right";
    c.fillStyle = style.text;
    const { cpus, nodes } = this.lanes.rows[t];
    const place = [
      cpus.length === 0 ? "" : cpus.length === 1 ? `CPU ${cpus[0]}` : `${cpus.length} CPUs`,
      nodes.length === 0 ? "" : nodes.length === 1 ? `node ${nodes[0]}` : `${nodes.length} nodes`,
    ]
      .filter((s) => s !== "")
      .join(" · ");
    if (lane >= 28 && place) {
      c.fillText(`thread ${t}`, l.left - 8, y - 6.5);
      c.fillStyle = style.faint;
      c.fillText(place, l.left - 8, y + 7);
    } else c.fillText(`thread ${t}`, l.left - 8, y);
  }

  private chart(
    c: CanvasRenderingContext2D,
    l: TimelineLayout,
    view: TimeView,
    style: TimelineStyle,
    running: Float64Array,
  ): void {
    const { model } = this;
    const threads = Math.max(1, model.meta.threads.length);
    const { top, height } = l.chart;
    const width = l.width - l.left;
    const columns = Math.max(1, Math.round(width));
    const serial = model.timeline ? this.threadsIn("serial", view, columns) : null; // the lanes have it, too
    const work = Float64Array.from({ length: columns }, (_, x) => {
      const from = Math.floor((x * running.length) / columns);
      const to = Math.max(from + 1, Math.floor(((x + 1) * running.length) / columns));
      let sum = 0;
      for (let k = from; k < to; k++) sum += running[k];
      return Math.max(0, sum / (to - from) - (serial ? serial[x] : 0));
    });
    const layers: [string, Float64Array][] = model.timeline
      ? kStacked.map((s) => [s, s === "work" && !this.lanes.aggregated ? work : this.threadsIn(s, view, columns)])
      : [["work", work]];
    const floor = new Float64Array(columns);
    for (const [state, values] of layers) {
      c.fillStyle = css(style.states[state]);
      c.beginPath();
      for (let x = 0; x < columns; x++) {
        const y0 = top + height - (floor[x] / threads) * height;
        const y1 = top + height - (Math.min(threads, floor[x] + values[x]) / threads) * height;
        if (y0 - y1 > 0.05) c.rect(l.left + x, y1, 1, y0 - y1);
        floor[x] += values[x];
      }
      c.fill();
    }
    c.strokeStyle = style.line;
    c.lineWidth = 1;
    c.strokeRect(l.left + 0.5, top + 0.5, width - 1, height);
    c.fillStyle = style.text;
    c.textAlign = "right";
    c.textBaseline = "middle";
    c.fillText(`${threads}`, l.left - 8, top + 4);
    c.fillText("0", l.left - 8, top + height - 3);
    c.fillStyle = style.faint;
    c.fillText("threads", l.left - 8, top + height / 2 - 7);
    c.fillText("by state", l.left - 8, top + height / 2 + 6);
  }

  // How many tasks waited to be started: the mean of each column's time.
  private queue(c: CanvasRenderingContext2D, l: TimelineLayout, view: TimeView, style: TimelineStyle): void {
    const { queue } = this.model;
    if (!queue || !l.queue) return;
    const { top, height } = l.queue;
    const width = l.width - l.left;
    const columns = Math.max(1, Math.round(width));
    const upTo = (t: number) => {
      // tasks times bins before a time
      const at = Math.max(0, Math.min(queue.tasks.length, t / queue.binNs));
      const whole = Math.floor(at);
      return this.queued()[whole] + (whole < queue.tasks.length ? (at - whole) * queue.tasks[whole] : 0);
    };
    c.fillStyle = css(style.states.idle);
    for (let x = 0; x < columns; x++) {
      const from = view.from + (view.span * x) / columns;
      const to = view.from + (view.span * (x + 1)) / columns;
      const tall = (((upTo(to) - upTo(from)) * queue.binNs) / (to - from) / queue.most) * height;
      if (tall > 0) c.fillRect(l.left + x, top + height - Math.max(0.5, tall), 1, Math.max(0.5, tall)); // the fewest leave a trace
    }
    c.strokeStyle = style.line;
    c.lineWidth = 1;
    c.strokeRect(l.left + 0.5, top + 0.5, width - 1, height);
    c.fillStyle = style.text;
    c.textAlign = "right";
    c.textBaseline = "middle";
    c.fillText(queue.most < 10 ? digits(queue.most) : count(Math.round(queue.most)), l.left - 8, top + 5);
    c.fillStyle = style.faint;
    c.fillText("tasks waiting", l.left - 8, top + height / 2 + 7);
  }

  private queuedBefore: Float64Array | null = null;
  private queued(): Float64Array {
    // sums of the bins before each
    if (this.queuedBefore) return this.queuedBefore;
    const { tasks } = this.model.queue!;
    const out = new Float64Array(tasks.length + 1);
    for (let b = 0; b < tasks.length; b++) out[b + 1] = out[b] + tasks[b];
    return (this.queuedBefore = out);
  }

  private outline(
    c: CanvasRenderingContext2D,
    l: TimelineLayout,
    view: TimeView,
    style: TimelineStyle,
    selected: ArrayLike<number>,
  ): void {
    const { nodes } = this.model;
    const scale = (l.width - l.left) / view.span;
    c.save();
    c.beginPath();
    c.rect(l.left, l.lanes.top - 3, l.width - l.left, l.height);
    c.clip();
    c.strokeStyle = style.selection;
    c.lineWidth = 2;
    for (let i = 0; i < Math.min(2000, selected.length); i++) {
      const n = selected[i];
      if (nodes.begin[n] < 0 || nodes.thread[n] >= this.lanes.rows.length || nodes.kind[n] === 1 || nodes.kind[n] === 2)
        continue;
      const x = l.left + (nodes.begin[n] - view.from) * scale;
      const w = Math.max(3, nodes.weight[n] * scale);
      if (x + w < l.left || x > l.width) continue;
      c.strokeRect(
        x - 1,
        l.lanes.top + nodes.thread[n] * l.lanes.lane - view.scroll - 1,
        w + 2,
        Math.max(3, l.lanes.lane),
      );
    }
    c.restore();
  }
}
