// The page: header, toolbar, the chosen view, and the panels at its side.
import { useEffect, useRef } from "preact/hooks";
import { Stage } from "../draw/stage";
import { addressOf, readHash, Said, writeHash } from "../state/hash";
import { attach, repaint } from "../state/paint";
import { lookAtAsked, onReturn } from "../state/served";
import type { Store } from "../state/store";
import { onThemeChange } from "../state/theme";
import { CodeletsView } from "./codelets_view";
import { DepthView } from "./depth_view";
import { GrainPanel } from "./grain_panel";
import { Header } from "./header";
import { Help } from "./help";
import { Histogram } from "./histogram";
import { bindKeys, bindPointer } from "./input";
import { LegendBar } from "./legend";
import { MemoryView } from "./memory_view";
import { Minimap } from "./minimap";
import { Problems } from "./problems";
import { SourceTable } from "./source_table";
import { SourceView } from "./source_view";
import { StatusLine } from "./status";
import { Timeline } from "./timeline";
import { Toolbar } from "./toolbar";
import { TuningTable } from "./tuning";
import { useStore } from "./use_store";
import { Zoom } from "./zoom";

// Stays in the page while another view is shown: its worker holds the graph.
// onStart: once it can be drawn, before it is. onFrame: after each frame.
export function Picture({ store, onStart, onFrame }: { store: Store; onStart: () => void; onFrame: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = box.current!;
    const stage = new Stage(store.model, store.scene, store.view, picture.current!, overlay.current!);
    const fitWindow = () => {
      if (element.clientWidth === 0) return; // another view is shown
      store.view.resize(element.clientWidth, element.clientHeight);
      stage.request();
    };
    fitWindow();
    attach(store, stage);
    stage.onFrame = () => {
      onFrame();
      store.notifyView();
    };
    onStart();
    new ResizeObserver(fitWindow).observe(element);
    onThemeChange(() => {
      repaint(store);
      store.notify();
    });
    bindPointer(element, store, stage);
  }, []);
  return (
    <div class="picture" ref={box}>
      <canvas ref={picture} />
      <canvas ref={overlay} class="overlay" />
      <Minimap store={store} />
      <Zoom store={store} />
    </div>
  );
}

// The address follows when the view has come to rest.
export function keepAddress(stores: Store[], address: () => string): void {
  let timer = 0;
  for (const store of stores)
    store.subscribeView(() => {
      clearTimeout(timer);
      timer = window.setTimeout(() => writeHash(address()), 250);
    });
}

export function focusSearch(): void {
  document.getElementById("search")?.focus();
}

export function Shown({ store }: { store: Store }) {
  switch (store.shown) {
    case "timeline":
      return <Timeline store={store} />;
    case "histogram":
      return <Histogram store={store} />;
    case "source":
      return <SourceView store={store} />;
    case "depth":
      return <DepthView store={store} />;
    case "codelets":
      return <CodeletsView store={store} />;
    case "memory":
      return <MemoryView store={store} />;
    default:
      return null;
  }
}

export function App({ store, onReady }: { store: Store; onReady: () => void }) {
  useStore(store);
  const graph = store.shown === "graph";
  const start = () => {
    readHash(store, new Said(location.hash));
    onReturn(store);
    lookAtAsked(store);
    bindKeys(() => store, focusSearch);
    keepAddress([store], () => addressOf(store));
  };
  return (
    <div class="page">
      <Header store={store} />
      <div class="body">
        <section class="graph" aria-label={store.shown}>
          <Toolbar store={store} />
          <div class="view" style={graph ? undefined : { display: "none" }}>
            <Picture store={store} onStart={start} onFrame={onReady} />
            <LegendBar store={store} />
            <StatusLine store={store} />
          </div>
          <Shown store={store} />
        </section>
        <aside class="side">
          {store.selectedNode >= 0 && <GrainPanel store={store} />}
          {store.selectedNode < 0 && <TuningTable />}
          <Problems store={store} />
          {store.selectedNode < 0 && <GrainPanel store={store} />}
          {store.shown !== "source" && <SourceTable store={store} />}
        </aside>
      </div>
      <Help store={store} />
    </div>
  );
}
