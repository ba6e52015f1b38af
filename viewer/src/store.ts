// What the user has chosen, and everyone who wants to know when it changes. The picture's place is in View.
import { Colours, ColourMode } from "./colours";
import { Stage } from "./draw/stage";
import { View } from "./draw/view";
import { kNone, Model } from "./model";
import { search, SearchResult, searchSource } from "./search";
import { textOn, theme } from "./ui/theme";

export class Store {
  readonly view: View;
  readonly colours: Colours;
  stage: Stage | null = null;
  mode: ColourMode = "source";
  showCritical = true;
  selectedNode = -1;
  selectedGrain = kNone; // the node's; or an implicit task, which has no node of its own: then the node is a child's
  query = "";
  source = kNone; // highlighted by a click in the table or the legend
  result: SearchResult | null = null;
  stop = -1; // which of the result's stops we are at
  showHelp = false;
  private listeners: (() => void)[] = [];
  private viewListeners: (() => void)[] = [];

  constructor(readonly model: Model) {
    const { layout } = model.meta;
    this.view = new View(layout, layout.units_per_pixel);
    this.colours = new Colours(model);
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
    const { stage } = this;
    if (!stage) return;
    const colour = this.colours.paint(this.mode, this.result?.lit ?? null, t.background);
    stage.style = { text: textOn, selection: t.selection, hover: t.hover, halo: t.halo, colourOf: (i) => colour[i] };
    const matched: number[] = [];
    if (this.result) for (let i = 0; i < this.result.lit.length; i++) if (this.result.lit[i]) matched.push(i);
    stage.setPaint({
      colour, matched: Uint32Array.from(matched), dimmed: this.result !== null, showCritical: this.showCritical,
      background: t.background, critical: t.critical, edge: t.edge, rim: t.rim,
    });
  }

  setMode(mode: ColourMode): void {
    this.mode = mode;
    this.repaint();
    this.notify();
  }

  toggleCritical(): void {
    this.showCritical = !this.showCritical;
    this.repaint();
    this.notify();
  }

  selectNode(node: number, centre: boolean, grain = node < 0 ? kNone : this.model.nodes.grain[node]): void {
    this.selectedNode = node;
    this.selectedGrain = grain;
    if (this.stage) {
      this.stage.selected = node;
      if (centre && node >= 0) {
        this.centreOn(node);
        this.stage.request();
      } else this.stage.redrawOverlay();
    }
    this.notify();
  }

  selectGrain(grain: number, centre = true): void {
    const nodes = this.model.nodesOf.of(grain);
    let node = nodes.length > 0 ? nodes[0] : -1;
    for (const child of node < 0 ? this.model.childrenOf.of(grain) : []) {
      const below = this.model.nodesOf.of(child);
      if (below.length > 0) { node = below[0]; break; }
    }
    if (node >= 0) this.selectNode(node, centre, grain);
  }

  private centreOn(node: number): void {
    const { nodes } = this.model;
    this.view.centre(nodes.x[node], nodes.y[node] + nodes.height[node] / 2, true);
  }

  setQuery(query: string): void {
    this.query = query;
    this.source = kNone;
    this.show(search(this.model, query));
  }

  highlightSource(source: number): void {
    this.query = "";
    this.source = source === this.source ? kNone : source;
    this.show(this.source === kNone ? null : searchSource(this.model, this.source));
  }

  private show(result: SearchResult | null): void {
    this.result = result;
    this.stop = -1;
    this.repaint();
    this.notify();
  }

  step(by: number): void {
    const stops = this.result?.stops;
    if (!stops || stops.length === 0) return;
    this.stop = this.stop < 0 ? (by > 0 ? 0 : stops.length - 1) : (this.stop + by + stops.length) % stops.length;
    this.selectNode(stops[this.stop], true);
  }

  fit(): void {
    this.view.fit();
    this.moved();
  }

  moved(): void {
    this.stage?.request();
    this.notifyView();
  }
}
