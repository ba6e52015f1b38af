// The page: header, toolbar, the chosen view, and the panels at its side.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Stage } from "../draw/stage";
import { readHash, writeHash } from "../hash";
import { bindKeys, bindPointer } from "../input";
import type { Store } from "../store";
import { Timeline } from "../timeline/timeline";
import { DepthView } from "./depth_view";
import { GrainPanel } from "./grain_panel";
import { Header } from "./header";
import { Help } from "./help";
import { Histogram } from "./histogram";
import { LegendBar } from "./legend";
import { Minimap } from "./minimap";
import { Problems } from "./problems";
import { SourceTable } from "./source_table";
import { SourceView } from "./source_view";
import { StatusLine } from "./status";
import { onThemeChange } from "./theme";
import { Toolbar } from "./toolbar";
import { Zoom } from "./zoom";

// Subscribed before the picture starts (an effect), so that no panel misses what the address selects.
export function useStore(store: Store): void {
  const [, again] = useState(0);
  useLayoutEffect(() => store.subscribe(() => again((n) => n + 1)), [store]);
}

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
    store.attach(stage);
    stage.onFrame = () => {
      onFrame();
      store.notifyView();
    };
    onStart();
    new ResizeObserver(fitWindow).observe(element);
    onThemeChange(() => { store.repaint(); store.notify(); });
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
export function keepAddress(stores: Store[], write: () => void): void {
  let timer = 0;
  for (const store of stores)
    store.subscribeView(() => {
      clearTimeout(timer);
      timer = window.setTimeout(write, 250);
    });
}

export function focusSearch(): void { document.getElementById("search")?.focus(); }

export function Shown({ store }: { store: Store }) {
  switch (store.shown) {
    case "timeline": return <Timeline store={store} />;
    case "histogram": return <Histogram store={store} />;
    case "source": return <SourceView store={store} />;
    case "depth": return <DepthView store={store} />;
    default: return null;
  }
}

export function App({ store, onReady }: { store: Store; onReady: () => void }) {
  useStore(store);
  const graph = store.shown === "graph";
  const start = () => {
    readHash(store);
    store.parts.lookAtAsked();
    bindKeys(() => store, focusSearch);
    keepAddress([store], () => writeHash(store));
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
          <Problems store={store} />
          {store.selectedNode < 0 && <GrainPanel store={store} />}
          {store.shown !== "source" && <SourceTable store={store} />}
        </aside>
      </div>
      <Help store={store} />
    </div>
  );
}
