// window.einkorn: what the browser tests need to see and do, nothing more. viewer/README.md describes it.
import { GrainKind } from "./model";
import { search } from "./search";
import type { Store } from "./store";

export interface TestHook {
  ready: boolean; // the first frame is shown
  error: string | null; // why there is no picture
  nodes: number; // in the page
  nodesShown: () => number; // that went into the last frame
  frames: () => { frames: number; milliseconds: number }; // shown so far; worker time of the last one
  idle: () => boolean; // all that was asked for is drawn
  longestGrain: () => number; // the grain with the most execution time
  placeOfNode: (node: number) => { x: number; y: number; width: number; height: number }; // in the window, CSS pixels
  grainOfNode: (node: number) => number;
  nodeOfGrain: (grain: number) => number;
  grains: number; // in the page, the initial and implicit tasks included
  countedGrains: () => number; // tasks, chunks and shares that have a node
  select: (grain: number) => void;
  centre: (node: number) => void;
  search: (query: string) => number; // grains found, without touching the page
  view: () => { x: number; y: number; zoom: number };
}

declare global {
  interface Window { einkorn: TestHook }
}

export function makeHook(store: Store): TestHook {
  const { model, view } = store;
  return {
    ready: false,
    error: null,
    nodes: model.nodes.count,
    grains: model.grains.count,
    countedGrains: () => {
      let n = 0;
      model.grains.kind.forEach((kind, g) => { n += kind >= GrainKind.share && model.nodesOf.of(g).length > 0 ? 1 : 0; });
      return n;
    },
    nodesShown: () => store.stage?.stats.drawn ?? 0,
    frames: () => ({ frames: store.stage?.stats.frames ?? 0, milliseconds: store.stage?.stats.milliseconds ?? 0 }),
    idle: () => store.stage?.idle ?? false,
    longestGrain: () => {
      const { exec, kind } = model.grains;
      let best = 0;
      for (let g = 1; g < exec.length; g++)
        if (kind[g] >= GrainKind.share && (kind[best] < GrainKind.share || exec[g] > exec[best])) best = g;
      return best;
    },
    placeOfNode: (i) => {
      const { x, y, width, height } = model.nodes;
      return { x: view.fromX(x[i] - width[i] / 2), y: view.fromY(y[i]), width: width[i] * view.sx, height: height[i] * view.sy };
    },
    grainOfNode: (node) => model.nodes.grain[node],
    nodeOfGrain: (grain) => model.nodesOf.of(grain)[0] ?? -1,
    select: (grain) => store.selectGrain(grain),
    centre: (node) => {
      view.centre(model.nodes.x[node], model.nodes.y[node] + model.nodes.height[node] / 2, true);
      store.moved();
    },
    search: (query) => search(model, query)?.grains ?? 0,
    view: () => ({ x: view.x, y: view.y, zoom: view.zoom }),
  };
}
