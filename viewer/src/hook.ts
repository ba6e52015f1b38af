// window.einkorn: what the browser tests need to see and do, nothing more. viewer/README.md describes it.

import { GrainKind } from "./data/model";
import { grainsOfNode } from "./data/scene";
import { light, search } from "./data/search";
import { timelineLayout } from "./draw/draw_timeline";
import { dispatch } from "./state/actions";
import { addressOf } from "./state/hash";
import type { Pair } from "./state/pair/pair";
import { pairAddressOf } from "./state/pair/pair_hash";
import type { Store } from "./state/store";

interface TestHook {
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
  boxes: () => number; // nodes of the picture that is shown: of a reduction, fewer
  grainsIn: (node: number) => number; // how many grains a box of that picture stands for, with what carries them
  grainsTold: (node: number) => number; // how many it says
  nodeIn: (grain: number) => number; // the box of a grain in it
  lit: () => number; // nodes of it that are highlighted
  metrics: () => { key: string; bad: string | null; problems: number; present: number; here: number }[]; // here: grains in the page that have it
  problems: number;
  parentTask: () => number; // the last grain that has children and a box of its own in the picture that is shown
  idOf: (grain: number) => string;
  showInTimeline: (grain: number) => void;
  placeInTime: (grain: number) => { x: number; y: number }; // the middle of its longest fragment, in the timeline
  view: () => { x: number; y: number; zoom: number };
  selected: () => number; // grain, or 0xffffffff
  selectedNode: () => number; // of the picture that is shown, or -1
  selectNode: (node: number) => void;
  members: (node: number) => number; // of an aggregate
  firstOf: (node: number) => number; // where in the whole graph
  asking: () => boolean; // the server
  address: () => string; // what the address says of the view as soon as it has come to rest
  before?: TestHook; // of a comparison: the first recording; all else is about the second
  counterpart?: (grain: number) => number; // in the first, of a grain of the second
}

declare global {
  interface Window {
    einkorn: TestHook;
  }
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
      model.grains.kind.forEach((kind, g) => {
        n += kind >= GrainKind.share && model.nodesOf.of(g).length > 0 ? 1 : 0;
      });
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
      const { x, y, width, height } = store.scene.nodes;
      return {
        x: view.fromX(x[i] - width[i] / 2),
        y: view.fromY(y[i]),
        width: width[i] * view.sx,
        height: height[i] * view.sy,
      };
    },
    grainOfNode: (node) => model.nodes.grain[node],
    nodeOfGrain: (grain) => model.nodesOf.of(grain)[0] ?? -1,
    boxes: () => store.scene.nodes.count,
    grainsIn: (node) => grainsOfNode(store.scene, node).length,
    grainsTold: (node) => store.scene.nodes.members[node],
    nodeIn: (grain) => store.scene.nodesOf.of(grain)[0] ?? -1,
    lit: () => store.result?.nodes.reduce((sum, l) => sum + l, 0) ?? 0,
    metrics: () =>
      store.metrics.map((m) => ({
        key: m.key,
        bad: m.bad,
        problems: m.bad ? m.counts.problems : 0,
        present: m.bad ? m.counts.present : m.stats.present,
        here: m.stats.present,
      })),
    problems: model.meta.problems.length,
    parentTask: () => {
      for (let g = model.grains.count - 1; g > 0; g--)
        if (
          model.childrenOf
            .of(g)
            .some((c) => model.isGrain(c) && store.scene.nodesOf.of(c)[0] !== store.scene.nodesOf.of(g)[0])
        )
          return g;
      return -1;
    },
    idOf: (grain) => model.idOf(grain),
    showInTimeline: (grain) => dispatch(store, { type: "show in timeline", grain }),
    placeInTime: (grain) => {
      const { begin, weight } = model.nodes;
      let node = -1;
      for (const n of model.nodesOf.of(grain)) if (begin[n] >= 0 && (node < 0 || weight[n] > weight[node])) node = n;
      const element = document.getElementById("timeline")!;
      const l = timelineLayout(
        element.clientWidth,
        element.clientHeight,
        model.meta.threads.length,
        model.queue !== null,
      );
      const middle = model.nodes.begin[node] + model.nodes.weight[node] / 2;
      return {
        x: l.left + ((middle - store.timeView.from) / store.timeView.span) * (l.width - l.left),
        y: l.lanes.top + (model.nodes.thread[node] + 0.4) * l.lanes.lane - store.timeView.scroll,
      };
    },
    select: (grain) => dispatch(store, { type: "select grain", grain }),
    centre: (node) => {
      const { nodes } = store.scene;
      view.centre(nodes.x[node], nodes.y[node] + nodes.height[node] / 2, true);
      store.moved();
    },
    search: (query) => {
      const found = search(model, query);
      return found ? light(model, store.full, found).grains : 0;
    },
    selected: () => store.selectedGrain,
    selectedNode: () => store.selectedNode,
    selectNode: (node) => dispatch(store, { type: "select node", node, centre: true }),
    members: (node) => model.nodes.members[node],
    firstOf: (node) => model.firstOf?.[node] ?? node,
    asking: () => store.asking > 0,
    address: () => addressOf(store),
    view: () => ({ x: view.x, y: view.y, zoom: view.zoom }),
  };
}

export function makePairHook(pair: Pair): TestHook {
  const before = makeHook(pair.stores.before);
  const after = makeHook(pair.stores.after);
  const idle = after.idle;
  return {
    ...after,
    idle: () => idle() && before.idle(),
    address: () => pairAddressOf(pair),
    before,
    counterpart: (grain) => pair.counterpart("after", grain),
  };
}
