// What the user has chosen, and everyone who wants to know when it changes. The picture's place is in View.
import { Colouring, Colours, kStructures, Structure } from "./colours";
import { Stage } from "./draw/stage";
import { View } from "./draw/view";
import { FormOptions, GrainFacts, makeForm } from "./forms";
import { grainMetrics, Metric } from "./metrics";
import { kNone, Model } from "./model";
import { Form, fullScene, extentOf, grainsOfNode, OpensAs, opensAs, Scene } from "./scene";
import type { Problem } from "./page";
import { Peer, selectLike, zoomLike } from "./pair/follow";
import { Parts } from "./served";
import { Found, light, Lit, search, searchProblem, searchRange, searchSource } from "./search";
import { Lanes } from "./timeline/lanes";
import { TimeView } from "./timeline/time_view";
import { isDark, setTheme, textOn, theme, ThemeName } from "./ui/theme";

export type ViewName = "graph" | "timeline" | "histogram" | "source" | "depth";
export const kViews: ViewName[] = ["graph", "timeline", "histogram", "source", "depth"];

// The metric that shows a kind of problem best.
const kMetricOfProblem: Record<string, string> = {
  tasks_too_fine: "parallel_benefit", chunks_too_fine: "parallel_benefit", too_coarse: "exec", load_imbalance: "idle_caused",
  little_parallelism: "critical", work_inflation: "work_deviation", remote_data: "remote_share",
  loop_order: "reuse",
};

// Whether colours by the metric tell a fair part of the grains apart from the rest.
function tells(metric: Metric, grains: Uint8Array): boolean {
  const { values } = metric;
  let all = 0;
  let told = 0;
  for (let g = 0; g < grains.length; g++) {
    if (!grains[g]) continue;
    all++;
    if (metric.bad ? metric.isProblem(values[g]) : values[g] > 0) told++;
  }
  return told > all / 4;
}

export class Store {
  readonly view: View;
  readonly timeView: TimeView;
  peer: Peer | null = null;
  private told = false; // by the peer: it needs not be told
  readonly colours: Colours;
  readonly metrics: Metric[];
  readonly full: Scene;
  readonly parts: Parts = new Parts(this);
  scene: Scene;
  shown: ViewName = "graph";
  stage: Stage | null = null;
  colouring: Colouring = "source";
  usualColouring = "source"; // what the address need not say
  private readonly opensAs: OpensAs;
  showCritical = true;
  showDependences = true;
  selectedNode = -1; // of the scene
  selectedGrain = kNone; // the node's; or an implicit task, which has no node of its own: then the node is a child's
  query = "";
  source = kNone; // highlighted by a click in a table, the legend or the source view
  problem = -1; // the one that was clicked
  openProblem = 0; // the one whose advice is shown
  range: { metric: Metric; from: number; to: number } | null = null; // of the histogram
  histogram: Metric; // what the histogram is of
  byTime = false; // its bars: time of the grains, not their number
  found: Found | null = null;
  result: Lit | null = null; // of the scene
  stop = -1; // which of the result's stops we are at
  showHelp = false;
  readonly form: FormOptions;
  themeName: ThemeName = "auto";
  private nodeColours: Uint32Array | null = null; // of the full scene
  private knownFacts: GrainFacts | null = null;
  private knownLanes: Lanes | null = null;
  private listeners: (() => void)[] = [];
  private viewListeners: (() => void)[] = [];

  // end: of the timeline, ns.
  constructor(readonly model: Model, end = model.meta.wall_ns) {
    this.full = this.scene = fullScene(model);
    this.view = new View(this.scene.extent, this.scene.unitsPerPixel);
    this.timeView = new TimeView(end);
    this.colours = new Colours(model);
    this.metrics = grainMetrics(model);
    this.histogram = this.metrics[0];
    this.form = { level: -1, collapsed: new Set(), opened: new Set() };
    this.opensAs = opensAs(model);
  }

  get lanes(): Lanes { return (this.knownLanes ??= new Lanes(this.model)); }
  get facts(): GrainFacts { return (this.knownFacts ??= new GrainFacts(this.model)); }
  metric(key: string | undefined): Metric | null { return this.metrics.find((m) => m.key === key) ?? null; }
  get usualForm(): Form { return this.opensAs === "lines" ? "lines" : "nodes"; } // what the address need not say, either
  get usualView(): ViewName { return this.opensAs === "timeline" ? "timeline" : "graph"; }
  get colouringKey(): string { return typeof this.colouring === "string" ? this.colouring : this.colouring.key; }

  // What is done here is done to the other recording as well.
  private tell(run: (other: Store, peer: Peer) => void): void {
    const { peer } = this;
    if (!peer || this.told) return;
    peer.store.told = true;
    try {
      run(peer.store, peer);
    } finally {
      peer.store.told = false;
    }
  }

  subscribe(run: () => void): () => void {
    this.listeners.push(run);
    return () => { this.listeners = this.listeners.filter((l) => l !== run); };
  }

  notify(): void {
    for (const run of this.listeners) run();
    this.notifyView();
  }

  // What changes with every frame (place, hovered node) has its own listeners: the panels need not follow a drag.
  subscribeView(run: () => void): () => void {
    this.viewListeners.push(run);
    return () => { this.viewListeners = this.viewListeners.filter((l) => l !== run); };
  }

  notifyView(): void { for (const run of this.viewListeners) run(); }

  attach(stage: Stage): void {
    this.stage = stage;
    this.view.fit();
    this.repaint();
  }

  repaint(): void {
    const t = theme();
    const { stage, scene } = this;
    this.nodeColours = null;
    if (!stage) return;
    const lit = this.result?.nodes ?? null;
    const colour = this.colours.paint(scene, this.colouring, lit, t.background);
    if (scene === this.full) this.nodeColours = colour;
    stage.style = {
      text: textOn, selection: t.selection, hover: t.hover, halo: t.halo, dependence: t.dependence, colourOf: (i) => colour[i],
      dependences: this.dependencesOf(this.selectedNode),
    };
    const matched: number[] = [];
    if (lit) for (let i = 0; i < lit.length; i++) if (lit[i]) matched.push(i);
    const problems = typeof this.colouring !== "string" && this.colouring.bad !== null;
    const red = problems || (typeof this.colouring !== "string" && this.colouring.change !== null);
    // Where red means something else, the critical path is of another colour.
    stage.setPaint({
      colour: colour.slice(), matched: Uint32Array.from(matched), dimmed: lit !== null || problems, showCritical: this.showCritical,
      showDependences: this.showDependences, background: t.background, critical: red ? t.criticalBesideProblems : t.critical,
      edge: t.edge, rim: t.rim,
    });
  }

  // By node of the full graph, whatever is shown: for the timeline.
  get fullColours(): Uint32Array {
    if (!this.nodeColours) {
      const lit = this.found ? (this.scene === this.full ? this.result! : light(this.model, this.full, this.found)).nodes : null;
      this.nodeColours = this.colours.paint(this.full, this.colouring, lit, theme().background);
    }
    return this.nodeColours;
  }

  // ---- views and forms
  show(name: ViewName): void {
    if (this.shown === name) return;
    this.shown = name;
    this.tell((other) => other.show(name));
    this.notify();
    if (name === "graph") this.stage?.request();
  }

  setForm(form: Form): void {
    if (form === this.scene.form) return;
    if (form !== "nodes" && this.form.level < 0) this.form.level = this.facts.readableLevel();
    this.tell((other) => {
      if (form !== "nodes") other.form.level = Math.min(this.form.level, other.facts.deepest);
      other.setForm(form);
    });
    this.rebuild(form);
  }

  setLevel(level: number): void {
    this.tell((other) => other.setLevel(Math.min(level, other.facts.deepest)));
    this.form.level = level;
    this.form.opened.clear();
    this.form.collapsed.clear();
    this.rebuild(this.scene.form);
  }

  // The selected grain's subtree as one box, or again as many.
  toggleSubtree(grain: number): void {
    this.tell((other, peer) => {
      const there = peer.grain(grain);
      if (there !== kNone) other.toggleSubtree(there);
    });
    const { collapsed, opened } = this.form;
    if (this.isCollapsed(grain)) {
      collapsed.delete(grain);
      opened.add(grain);
    } else {
      collapsed.add(grain);
      opened.delete(grain);
    }
    this.rebuild("grains");
  }

  isCollapsed(grain: number): boolean {
    const { closed, nodes, nodesOf } = this.scene;
    return closed !== null && closed[grain] === 1 && nodes.grain[nodesOf.of(grain)[0]] === grain;
  }

  private rebuild(form: Form): void {
    const grain = this.selectedGrain;
    const same = form === this.scene.form;
    this.scene = form === "nodes" ? this.full : makeForm(form, this.facts, this.form);
    this.stage?.setScene(this.scene);
    this.view.show(this.scene.extent, this.scene.unitsPerPixel);
    this.result = this.found ? light(this.model, this.scene, this.found) : null;
    this.stop = -1;
    this.selectedNode = -1;
    this.repaint();
    if (grain !== kNone) this.selectGrain(grain, same);
    else this.notify();
    this.stage?.request();
  }

  // ---- colours
  setColouring(by: string): void {
    const next = (kStructures as string[]).includes(by) ? (by as Structure) : this.metric(by);
    if (!next) return;
    this.tell((other) => other.setColouring(by));
    this.colouring = next;
    if (typeof next !== "string") this.histogram = next;
    this.repaint();
    this.notify();
  }

  setThreshold(metric: Metric, value: number): void {
    if (!Number.isFinite(value)) return;
    this.tell((other) => other.setThreshold(other.metric(metric.key)!, value));
    metric.setThreshold(value);
    this.repaint();
    this.notify();
  }

  setHistogram(key: string, byTime = this.byTime): void {
    this.tell((other) => other.setHistogram(key, byTime));
    this.byTime = byTime;
    this.histogram = this.metric(key) ?? this.histogram;
    this.notify();
  }

  nextTheme(): void { this.setTheme(this.themeName === "auto" ? (isDark() ? "light" : "dark") : this.themeName === "dark" ? "light" : "dark"); }

  setTheme(name: ThemeName): void {
    this.tell((other) => other.setTheme(name));
    this.themeName = name;
    setTheme(name);
    this.repaint();
    this.notify();
  }

  toggleCritical(): void {
    this.tell((other) => other.toggleCritical());
    this.showCritical = !this.showCritical;
    this.repaint();
    this.notify();
  }

  toggleDependences(): void {
    this.tell((other) => other.toggleDependences());
    this.showDependences = !this.showDependences;
    this.repaint();
    this.notify();
  }

  // ---- the selection
  selectNode(node: number, centre: boolean, grain = node < 0 ? kNone : this.grainOf(node)): void {
    this.selectedNode = node;
    this.selectedGrain = grain;
    if (this.stage) {
      this.stage.selected = node;
      if (this.stage.style) this.stage.style.dependences = this.dependencesOf(node);
      if (centre && node >= 0) {
        this.centreOn(node);
        this.stage.request();
      } else this.stage.redrawOverlay();
    }
    this.tell((other, peer) => selectLike(this, other, peer));
    this.notify();
  }

  grainOf(node: number): number {
    const grain = this.scene.nodes.grain[node];
    const members = grainsOfNode(this.scene, node);
    return grain !== kNone ? grain : members.length === 1 ? members[0] : kNone;
  }

  selectGrain(grain: number, centre = true): void {
    const { nodesOf } = this.scene;
    const nodes = nodesOf.of(grain);
    let node = nodes.length > 0 ? nodes[0] : -1;
    for (const child of node < 0 ? this.model.childrenOf.of(grain) : []) {
      const below = nodesOf.of(child);
      if (below.length > 0) { node = below[0]; break; }
    }
    if (node >= 0) this.selectNode(node, centre, grain);
  }

  showInTimeline(grain: number): void {
    const { begin, span } = this.model.grains;
    if (begin[grain] >= 0) this.timeView.frame(begin[grain], begin[grain] + Math.max(0, span[grain]));
    this.tell((other, peer) => { // its own place in time, to the same scale
      const there = peer.grain(grain);
      const { grains } = other.model;
      const middle = there !== kNone && grains.begin[there] >= 0 ? grains.begin[there] + Math.max(0, grains.span[there]) / 2 : (this.timeView.from + this.timeView.to) / 2;
      other.timeView.around(middle, this.timeView.span);
    });
    this.show("timeline");
    this.notifyView();
  }

  // Of the selected grain: pairs of the scene's nodes, the second waits for the first.
  private dependencesOf(node: number): [number, number][] {
    const { model, scene } = this;
    if (node < 0 || !this.showDependences || !model.hasDependences) return [];
    const out: [number, number][] = [];
    const inScene = (full: number): number => {
      if (scene === this.full) return full;
      const grain = model.nodes.grain[full];
      return grain === kNone ? -1 : scene.nodesOf.of(grain)[0] ?? -1;
    };
    for (const grain of Array.from(grainsOfNode(scene, node)).slice(0, 50))
      for (const own of model.nodesOf.of(grain))
        for (const e of model.dependencesOf(own)) {
          const from = inScene(model.edges.from[e]);
          const to = inScene(model.edges.to[e]);
          if (from >= 0 && to >= 0 && from !== to) out.push([from, to]);
        }
    return out;
  }

  centreOn(node: number): void {
    const { nodes } = this.scene;
    this.view.centre(nodes.x[node], nodes.y[node] + nodes.height[node] / 2, true);
  }

  // ---- what is highlighted
  setQuery(query: string): void {
    this.tell((other) => other.setQuery(query));
    this.forget();
    this.query = query;
    this.highlight(search(this.model, query));
  }

  highlightSource(source: number): void {
    const again = source === this.source;
    this.tell((other, peer) => (again ? other.clear() : other.highlightOnly(peer.source(source), this.model.placeOf(source))));
    this.forget();
    if (!again) this.source = source;
    this.highlight(again ? null : searchSource(this.model, source));
  }

  // A line that may not be here at all.
  private highlightOnly(source: number, what: string): void {
    this.forget();
    this.source = source;
    this.highlight(source === kNone ? { grains: new Uint8Array(this.model.grains.count), sources: null, what } : searchSource(this.model, source));
  }

  // Any set of grains; by its name in the other recording, too.
  highlightGrains(grains: Uint8Array, what: string, there?: Uint8Array): void {
    this.tell((other) => other.highlightGrains(there ?? new Uint8Array(other.model.grains.count), what));
    this.forget();
    this.highlight({ grains, sources: null, what });
  }

  // A problem's grains, and where they are.
  chooseProblem(index: number): void {
    const again = index === this.problem;
    this.forget();
    const problem = this.model.meta.problems[index];
    if (again || !problem) {
      this.tell((other) => other.clear());
      return this.highlight(null);
    }
    this.problem = this.openProblem = index;
    const found = searchProblem(this.model, problem, this.metric("remote_share"), `problem ${index + 1}`);
    const metric = this.metric(kMetricOfProblem[problem.kind]);
    this.colouring = metric && tells(metric, found.grains) ? metric : "source";
    if (metric) this.histogram = metric;
    this.tell((other, peer) => other.showProblemOf(this, problem, peer, found.what));
    this.highlight(found);
    this.zoomToLit();
  }

  // What the other recording's problem is about, here.
  private showProblemOf(leader: Store, problem: Problem, peer: Peer, what: string): void {
    const own = (sources: number[]) => sources.map((s) => peer.source(s)).filter((s) => s !== kNone);
    const about = problem.about && { ...problem.about, sources: own(problem.about.sources) };
    this.forget();
    this.colouring = this.metric(leader.colouringKey) ?? (leader.colouringKey as Structure);
    this.histogram = this.metric(leader.histogram.key) ?? this.histogram;
    this.highlight(searchProblem(this.model, { ...problem, about, sources: own(problem.sources) }, this.metric("remote_share"), what));
  }

  setRange(metric: Metric, from: number, to: number): void {
    const within = this.found && !this.range ? this.found.grains : null;
    this.tell((other) => other.setRange(other.metric(metric.key)!, from, to));
    this.forget();
    this.range = { metric, from, to };
    this.highlight(searchRange(this.model, metric, from, to, within));
  }

  clear(): void {
    this.tell((other) => other.clear());
    this.forget();
    this.highlight(null);
  }

  private forget(): void {
    this.query = "";
    this.source = kNone;
    this.problem = -1;
    this.range = null;
  }

  private highlight(found: Found | null): void {
    this.found = found;
    this.result = found ? light(this.model, this.scene, found) : null;
    this.stop = -1;
    this.repaint();
    this.notify();
    if (found) void this.parts.complete(found);
  }

  zoomToLit(): void {
    this.tell((other) => other.zoomToLit());
    const lit = this.result?.nodes;
    if (!lit) return;
    const part = extentOf(this.scene, lit);
    if (part.left > part.right) return;
    this.view.frame(part);
    this.moved();
  }

  // ---- moving
  pan(dx: number, dy: number): void {
    this.view.pan(dx, dy);
    this.tell((other, peer) => { if (peer.together) other.pan(dx, dy); });
    this.moved();
  }

  zoomAt(px: number, py: number, step: number): void {
    this.view.zoomAt(px, py, step);
    this.tell((other, peer) => { if (peer.together) zoomLike(this, other, peer, px, py); });
    this.moved();
  }

  look(x: number, y: number, zoom: number): void {
    this.view.look(x, y, zoom);
    this.moved();
  }

  panTime(share: number): void {
    this.timeView.pan(share);
    this.tell((other, peer) => { if (peer.together) other.panTime(share); });
    this.notifyView();
  }

  zoomTime(at: number, step: number): void {
    this.timeView.zoomAt(at, step);
    this.tell((other, peer) => { if (peer.together) other.zoomTime(at, step); });
    this.notifyView();
  }

  step(by: number): void {
    const stops = this.result?.stops;
    if (!stops || stops.length === 0) return;
    this.stop = this.stop < 0 ? (by > 0 ? 0 : stops.length - 1) : (this.stop + by + stops.length) % stops.length;
    this.selectNode(stops[this.stop], true);
  }

  fit(): void {
    this.tell((other) => other.fit());
    (this.shown === "timeline" ? this.timeView : this.view).fit();
    this.moved();
  }

  moved(): void {
    this.stage?.request();
    this.notifyView();
  }
}
