// Search, colours, critical path, zoom.
import { ColourMode, kColourModes } from "../colours";
import { count, many } from "../format";
import type { Store } from "../store";
import { useStore } from "./app";

const kModeNames: Record<ColourMode, string> = { source: "source line", kind: "kind of grain", time: "execution time", thread: "thread" };

function found(store: Store): string {
  const { result } = store;
  if (!result) return "";
  const what = result.grains > 0 || result.stops.length === 0 ? many(result.grains, "grain") : many(result.stops.length, "join");
  return store.stop >= 0 ? `${count(store.stop + 1)} of ${what}` : `${what} found`;
}

export function Toolbar({ store }: { store: Store }) {
  useStore(store);
  const zoom = (step: number) => {
    store.view.zoomAt(store.view.width / 2, store.view.height / 2, step);
    store.moved();
  };
  return (
    <div class="toolbar">
      <div class="search">
        <input id="search" type="search" spellcheck={false} placeholder="Find file:line, function or grain id (f)" value={store.query}
               aria-label="Find grains by file:line, file, function or grain id"
               title="sort.c:142, a file, a function, a construct (task, loop, ...), or the first digits of a grain's id. Enter steps through what was found."
               onInput={(e) => store.setQuery(e.currentTarget.value)}
               onKeyDown={(e) => {
                 if (e.key === "Enter") { store.step(e.shiftKey ? -1 : 1); e.preventDefault(); }
                 if (e.key === "Escape") { store.setQuery(""); e.currentTarget.blur(); }
               }} />
        <span id="found" class="found" role="status">{found(store)}</span>
        {store.result && store.result.stops.length > 0 && (
          <>
            <button title="Previous one found (Shift+Enter, p)" onClick={() => store.step(-1)}>‹</button>
            <button title="Next one found (Enter, n)" onClick={() => store.step(1)}>›</button>
          </>
        )}
        {store.result && <button title="Show everything again (Escape)" onClick={() => store.setQuery("")}>clear</button>}
      </div>
      <label title="What the colours of the boxes mean">
        colour by{" "}
        <select id="colour" value={store.mode} onChange={(e) => { store.setMode(e.currentTarget.value as ColourMode); e.currentTarget.blur(); }}>
          {kColourModes.map((m) => <option key={m} value={m}>{kModeNames[m]}</option>)}
        </select>
      </label>
      <button id="critical" class={store.showCritical ? "on critical" : ""} aria-pressed={store.showCritical}
              title="The longest chain of grains that must run one after the other, in red (c)" onClick={() => store.toggleCritical()}>critical path</button>
      <span class="gap" />
      <div class="group">
        <button title="Zoom out (-)" aria-label="Zoom out" onClick={() => zoom(-0.5)}>−</button>
        <button title="Zoom in (+)" aria-label="Zoom in" onClick={() => zoom(0.5)}>+</button>
        <button title="Show everything (0)" onClick={() => store.fit()}>fit</button>
      </div>
      <button title="Keys and how to read the picture (?)" onClick={() => { store.showHelp = true; store.notify(); }}>?</button>
    </div>
  );
}
