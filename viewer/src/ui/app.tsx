// The page: header, toolbar, picture, and the panels at its side.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Stage } from "../draw/stage";
import { readHash, writeHash } from "../hash";
import { bindKeys, bindPointer } from "../input";
import type { Store } from "../store";
import { GrainPanel } from "./grain_panel";
import { Header } from "./header";
import { Help } from "./help";
import { LegendBar } from "./legend";
import { SourceTable } from "./source_table";
import { StatusLine } from "./status";
import { onThemeChange } from "./theme";
import { Toolbar } from "./toolbar";

// Subscribed before the picture starts (an effect), so that no panel misses what the address selects.
export function useStore(store: Store): void {
  const [, again] = useState(0);
  useLayoutEffect(() => store.subscribe(() => again((n) => n + 1)), [store]);
}

function Picture({ store, onReady }: { store: Store; onReady: () => void }) {
  const box = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = box.current!;
    const stage = new Stage(store.model, store.view, picture.current!, overlay.current!);
    const fitWindow = () => {
      store.view.resize(element.clientWidth, element.clientHeight);
      stage.request();
    };
    fitWindow();
    store.attach(stage);
    stage.onFrame = () => {
      onReady();
      store.notifyView();
    };
    readHash(store);
    new ResizeObserver(fitWindow).observe(element);
    onThemeChange(() => store.repaint());
    bindPointer(element, store, stage);
    bindKeys(store, () => document.getElementById("search")?.focus());
    let timer = 0; // the address follows when the view has come to rest
    store.subscribeView(() => {
      clearTimeout(timer);
      timer = window.setTimeout(() => writeHash(store), 250);
    });
  }, []);
  return (
    <div class="picture" ref={box}>
      <canvas ref={picture} />
      <canvas ref={overlay} class="overlay" />
    </div>
  );
}

export function App({ store, onReady }: { store: Store; onReady: () => void }) {
  return (
    <div class="page">
      <Header store={store} />
      <div class="body">
        <section class="graph" aria-label="Grain graph">
          <Toolbar store={store} />
          <Picture store={store} onReady={onReady} />
          <LegendBar store={store} />
          <StatusLine store={store} />
        </section>
        <aside class="side">
          <GrainPanel store={store} />
          <SourceTable store={store} />
        </aside>
      </div>
      <Help store={store} />
    </div>
  );
}
