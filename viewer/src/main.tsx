// Start here: reads the page's data, builds the model, puts the app on the screen.
import { render } from "preact";
import { baseName, Model } from "./data/model";
import { readPage } from "./data/page";
import { makeHook, makePairHook } from "./hook";
import { Pair } from "./state/pair/pair";
import { Store } from "./state/store";
import { App } from "./views/app";
import { PairApp } from "./views/pair/pair_app";
import "./views/style.css";

async function start(): Promise<void> {
  const root = document.getElementById("app")!;
  try {
    const { part, pair } = await readPage();
    const { meta, columns, metrics } = part;
    document.title = `${baseName(meta.program) || "recording"}${pair ? ": before and after" : ""} - Einkorn`;
    if (pair) {
      const both = new Pair(pair, part);
      const hook = (window.einkorn = makePairHook(both));
      render(
        <PairApp
          pair={both}
          onReady={() => {
            hook.ready = true;
          }}
        />,
        root,
      );
      return;
    }
    const store = new Store(new Model(meta, columns, metrics));
    const hook = makeHook(store);
    window.einkorn = hook;
    const ready = () => {
      hook.ready = true;
    };
    render(<App store={store} onReady={ready} />, root);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    window.einkorn = { ...window.einkorn, ready: false, error: text };
    render(
      <main class="failure">
        <h1>This page cannot be shown</h1>
        <p>{text}</p>
      </main>,
      root,
    );
    console.error(error);
  }
}

void start();
