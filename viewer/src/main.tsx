// Start here: reads the page's data, builds the model, puts the app on the screen.
import { render } from "preact";
import { App } from "./ui/app";
import { Model } from "./model";
import { readPage } from "./page";
import { makeHook } from "./hook";
import { Store } from "./store";
import { baseName } from "./model";
import "./ui/style.css";

function start(): void {
  const root = document.getElementById("app")!;
  try {
    const { meta, columns } = readPage();
    document.title = `${baseName(meta.program) || "recording"} - Einkorn`;
    const store = new Store(new Model(meta, columns));
    const hook = makeHook(store);
    window.einkorn = hook;
    const ready = () => { hook.ready = true; };
    render(<App store={store} onReady={ready} />, root);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    window.einkorn = { ...window.einkorn, ready: false, error: text };
    render(<main class="failure"><h1>This page cannot be shown</h1><p>{text}</p></main>, root);
    console.error(error);
  }
}

start();
