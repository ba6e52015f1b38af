// The page of two recordings: the ordinary page's views twice, beside each other, and what compares them around it.

import { useRef, useState } from "preact/hooks";
import { Said } from "../../state/hash";
import type { Pair } from "../../state/pair/pair";
import { pairAddressOf, readPairHash, readPairLayout } from "../../state/pair/pair_hash";
import { kSides, SideName } from "../../state/pair/sides";
import type { Store } from "../../state/store";
import { focusSearch, keepAddress, Picture, Shown } from "../app";
import { GrainPanel } from "../grain_panel";
import { Help } from "../help";
import { bindKeys } from "../input";
import { LegendBar } from "../legend";
import { StatusLine } from "../status";
import { found, Toolbar } from "../toolbar";
import { TuningTable } from "../tuning";
import { useStore } from "../use_store";
import { PairGrain } from "./pair_grain";
import { PairHeader } from "./pair_header";
import { PairLines, PairSources } from "./pair_lines";
import { PairProblems } from "./pair_problems";

function Pane({
  pair,
  side,
  onStart,
  onFrame,
}: {
  pair: Pair;
  side: SideName;
  onStart: () => void;
  onFrame: () => void;
}) {
  const store = pair.stores[side];
  useStore(store);
  const graph = store.shown === "graph";
  const of = pair.meta[side];
  return (
    <section
      class={`pane ${pair.active === side ? "active" : ""}`}
      id={side}
      aria-label={side}
      onPointerDownCapture={() => pair.choose(side)}
    >
      <h2
        title={`The ${side === "before" ? "first" : "second"} recording: ${of.file}${of.predicted ? ` (predicted, not recorded: ${of.predicted})` : ""}`}
      >
        <b>{side}</b>
        <span class="faint name">{of.file}</span>
        {of.predicted && <span class="flag">predicted</span>}
        <span class="gap" />
        <span class="found" role="status">
          {found(store)}
        </span>
      </h2>
      <div class="view" style={graph ? undefined : { display: "none" }}>
        <Picture store={store} onStart={onStart} onFrame={onFrame} />
        <StatusLine store={store} />
      </div>
      {store.shown !== "source" && <Shown store={store} />}
    </section>
  );
}

function Choices({ pair }: { pair: Pair }) {
  const { shown } = pair.shown;
  return (
    <>
      {(shown === "graph" || shown === "timeline") && (
        <button
          id="together"
          class={pair.together ? "on" : ""}
          aria-pressed={pair.together}
          onClick={() => pair.setTogether(!pair.together)}
          title="Both pictures move and zoom together; a click lines them up on a grain (l)"
        >
          move together
        </button>
      )}
      {shown === "graph" && (
        <button
          id="stacked"
          class={pair.stacked ? "on" : ""}
          aria-pressed={pair.stacked}
          onClick={() => pair.setStacked(!pair.stacked)}
          title="One above the other instead of side by side (b)"
        >
          stacked
        </button>
      )}
    </>
  );
}

export function PairApp({ pair, onReady }: { pair: Pair; onReady: () => void }) {
  const { before, after } = pair.stores;
  useStore(before);
  useStore(after);
  useState(() => readPairLayout(pair, new Said(location.hash))); // before anything has its size
  const started = useRef(0);
  const drawn = useRef(new Set<Store>());
  const start = () => {
    if (++started.current < 2) return; // the address needs both
    readPairHash(pair, new Said(location.hash));
    bindKeys(
      () => pair.shown,
      focusSearch,
      (key) => {
        if (key === "l") pair.setTogether(!pair.together);
        else if (key === "b") pair.setStacked(!pair.stacked);
        else return false;
        return true;
      },
    );
    keepAddress([before, after], () => pairAddressOf(pair));
  };
  const frame = (store: Store) => {
    drawn.current.add(store);
    if (drawn.current.size === 2) onReady();
  };
  const { shown } = after;
  const below = pair.stacked || shown !== "graph"; // time, values and depths run along the width
  return (
    <div class="page pair">
      <PairHeader pair={pair} />
      <div class="body">
        <section class="graph">
          <Toolbar store={pair.shown}>
            <Choices pair={pair} />
          </Toolbar>
          <div class={`panes ${below ? "below" : ""}`} style={shown === "source" ? { display: "none" } : undefined}>
            {kSides.map((side) => (
              <Pane key={side} pair={pair} side={side} onStart={start} onFrame={() => frame(pair.stores[side])} />
            ))}
          </div>
          {shown === "source" && <PairSources pair={pair} />}
          {shown === "graph" && <LegendBar store={after} />}
        </section>
        <aside class="side">
          <PairGrain pair={pair} />
          {pair.shown.selectedNode < 0 && <TuningTable />}
          {pair.shown.selectedNode < 0 && <PairProblems pair={pair} />}
          {shown !== "source" && <PairLines pair={pair} />}
          {pair.shown.selectedNode >= 0 && <GrainPanel store={pair.shown} />}
          {pair.shown.selectedNode >= 0 && <PairProblems pair={pair} />}
        </aside>
      </div>
      <Help store={pair.shown} />
    </div>
  );
}
