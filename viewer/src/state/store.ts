// What the user has chosen, and everyone who wants to know when it changes. Nothing is changed here: actions.ts has all
// that can be done to it. The picture's place is in View.

import type { FormOptions } from "../data/forms";
import { GrainFacts } from "../data/forms";
import { grainMetrics, type Metric } from "../data/metrics";
import { kNone, type Model } from "../data/model";
import { type Form, fullScene, type OpensAs, opensAs, type Scene } from "../data/scene";
import type { Found, Lit } from "../data/search";
import { type Colouring, Colours } from "../draw/colours";
import { Lanes } from "../draw/lanes";
import type { Stage } from "../draw/stage";
import { TimeView } from "../draw/time_view";
import { View } from "../draw/view";
import type { ThemeName } from "./theme";

export type ViewName = "graph" | "timeline" | "histogram" | "source" | "depth" | "codelets" | "memory";
const kUsualViews: ViewName[] = ["graph", "timeline", "histogram", "source", "depth"];

// The other of two recordings that are compared, and what of this one it has.
export interface Peer {
  readonly store: Store;
  readonly together: boolean; // the pictures move together
  grain(grain: number): number; // the same one there; kNone: there is none
  source(source: number): number;
}

export class Store {
  readonly view: View;
  readonly timeView: TimeView;
  peer: Peer | null = null;
  readonly colours: Colours;
  readonly metrics: Metric[];
  readonly full: Scene;
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
  codeletGraph = 0; // which of the model's is shown
  codelet = -1; // of its codelets
  range: { metric: Metric; from: number; to: number } | null = null; // of the histogram
  histogram: Metric; // what the histogram is of
  byTime = false; // its bars: time of the grains, not their number
  found: Found | null = null;
  result: Lit | null = null; // of the scene
  stop = -1; // which of the result's stops we are at
  showHelp = false;
  readonly form: FormOptions;
  themeName: ThemeName = "auto";
  opening = false; // another part is on its way (served.ts)
  asking = 0; // questions to the server under way
  nodeColours: Uint32Array | null = null; // of the full scene (paint.ts)
  private knownFacts: GrainFacts | null = null;
  private knownLanes: Lanes | null = null;
  private listeners: (() => void)[] = [];
  private viewListeners: (() => void)[] = [];

  // end: of the timeline, ns.
  constructor(
    readonly model: Model,
    end = model.meta.wall_ns,
  ) {
    this.full = this.scene = fullScene(model);
    this.view = new View(this.scene.extent, this.scene.unitsPerPixel);
    this.timeView = new TimeView(end);
    this.colours = new Colours(model);
    this.metrics = grainMetrics(model);
    this.histogram = this.metrics[0];
    this.form = { level: -1, collapsed: new Set(), opened: new Set() };
    this.opensAs = opensAs(model);
  }

  // In their order on the page.
  get views(): ViewName[] {
    const views = [...kUsualViews];
    if (this.model.codeletGraphs.length > 0) views.push("codelets");
    if (this.model.meta.allocations) views.push("memory");
    return views;
  }
  get lanes(): Lanes {
    this.knownLanes ??= new Lanes(this.model);
    return this.knownLanes;
  }
  get facts(): GrainFacts {
    this.knownFacts ??= new GrainFacts(this.model);
    return this.knownFacts;
  }
  metric(key: string | undefined): Metric | null {
    return this.metrics.find((m) => m.key === key) ?? null;
  }
  // What the address need not say, either.
  get usualForm(): Form {
    return this.opensAs === "lines" ? "lines" : "nodes";
  }
  get usualView(): ViewName {
    return this.opensAs === "timeline" ? "timeline" : "graph";
  }
  get colouringKey(): string {
    return typeof this.colouring === "string" ? this.colouring : this.colouring.key;
  }

  subscribe(run: () => void): () => void {
    this.listeners.push(run);
    return () => {
      this.listeners = this.listeners.filter((l) => l !== run);
    };
  }

  notify(): void {
    for (const run of this.listeners) run();
    this.notifyView();
  }

  // What changes with every frame (place, hovered node) has its own listeners: the panels need not follow a drag.
  subscribeView(run: () => void): () => void {
    this.viewListeners.push(run);
    return () => {
      this.viewListeners = this.viewListeners.filter((l) => l !== run);
    };
  }

  notifyView(): void {
    for (const run of this.viewListeners) run();
  }

  // After the view of the picture was changed.
  moved(): void {
    this.stage?.request();
    this.notifyView();
  }
}
