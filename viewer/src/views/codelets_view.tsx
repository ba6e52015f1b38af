// The program's codelets: the classes of a graph, or the places of a procedure, with their times, and how often one
// followed the other.

import { codeletGraphOf, kBoxHeight, kBoxWidth, pictureOf } from "../data/codelets";
import { count, many, percent, shortened, time } from "../data/format";
import type { Model } from "../data/model";
import type { Codelet, CodeletGraph } from "../data/page";
import { dispatch } from "../state/actions";
import type { Store } from "../state/store";
import { useStore } from "./use_store";

const kPlaceLetters = 20;

function titleOf(graph: CodeletGraph): string {
  return `${graph.procedure ? "procedure" : "graph"} ${graph.name || "without a name"}`;
}

function placeOf(model: Model, codelet: Codelet): string {
  return codelet.source === undefined ? "not known where" : model.sources[codelet.source].place;
}

function runsOf(graph: CodeletGraph): string {
  return graph.procedure ? many(graph.runs, "instance") : many(graph.runs, "run");
}

// Thin to thick: the most frequent arc of the graph is five times as thick as one that is followed once.
function thickness(n: number, most: number): number {
  return 1 + (most > 1 ? (4 * Math.log(Math.max(1, n))) / Math.log(most) : 0);
}

function hoverOf(model: Model, graph: CodeletGraph, codelet: Codelet): string {
  const lines = [placeOf(model, codelet)];
  if (codelet.source !== undefined) lines.push(model.sources[codelet.source].function);
  if (codelet.at !== undefined) lines.push(codelet.at === 0 ? "where an instance begins" : `goes on at ${codelet.at}`);
  lines.push(
    `${count(codelet.executed)} ${graph.procedure ? "stretches" : "codelets"}, ${time(codelet.exec)} together`,
  );
  if (codelet.median !== undefined) lines.push(`median ${time(codelet.median)}, longest ${time(codelet.longest!)}`);
  if (codelet.recorded < codelet.executed)
    lines.push(`${count(codelet.executed - codelet.recorded)} of them were only counted`);
  return lines.join("\n");
}

function Picture({ store, graph }: { store: Store; graph: CodeletGraph }) {
  const { model } = store;
  const { width, height, boxes, arcs } = pictureOf(graph);
  const total = graph.codelets.reduce((sum, c) => sum + c.exec, 0);
  const most = Math.max(1, ...graph.arcs.map((a) => a.count));
  const path = model.meta.critical_path_ns;
  return (
    <svg
      id="codelets"
      class="codelets"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label={titleOf(graph)}
    >
      <defs>
        <marker
          id="arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="9"
          markerHeight="9"
          orient="auto"
          markerUnits="userSpaceOnUse"
        >
          <path d="M0,0 L8,4 L0,8 z" />
        </marker>
      </defs>
      {arcs.map((arc, i) => (
        <g key={`a${graph.arcs[i].from}-${graph.arcs[i].to}`} class={arc.back ? "arc back" : "arc"} data-arc={i}>
          <path d={arc.path} style={{ strokeWidth: thickness(graph.arcs[i].count, most) }} marker-end="url(#arrow)" />
          <text x={arc.x + 6} y={arc.y + 4}>
            {count(graph.arcs[i].count)}
          </text>
        </g>
      ))}
      {graph.codelets.map((codelet, i) => (
        <g
          key={`c${codelet.source}-${codelet.at}`}
          data-codelet={i}
          class={`codelet ${store.codelet === i ? "on" : ""} ${codelet.critical > 0 ? "critical" : ""}`}
          transform={`translate(${boxes[i].x},${boxes[i].y})`}
          role="button"
          tabIndex={0}
          onClick={() => dispatch(store, { type: "codelet", index: i })}
          onKeyDown={(e) => {
            if (e.key === "Enter") dispatch(store, { type: "codelet", index: i });
          }}
        >
          <title>{hoverOf(model, graph, codelet)}</title>
          <rect class="box" width={kBoxWidth} height={kBoxHeight} rx="4" />
          <rect class="part" width={total > 0 ? (kBoxWidth * codelet.exec) / total : 0} height="5" />
          <text class="place" x="8" y="23">
            {shortened(placeOf(model, codelet), kPlaceLetters)}
          </text>
          {codelet.at !== undefined && (
            <text class="at" x={kBoxWidth - 8} y="23">
              {codelet.at === 0 ? "begins" : `at ${codelet.at}`}
            </text>
          )}
          <text x="8" y="41">
            {`${count(codelet.executed)} x ${codelet.median !== undefined ? time(codelet.median) : "short"}`}
          </text>
          <text x="8" y="58">
            {`${time(codelet.exec)}${codelet.critical > 0 ? `, ${percent(codelet.critical, path)} of path` : ""}`}
          </text>
        </g>
      ))}
    </svg>
  );
}

// What the chosen one is, and the way to its grains.
function Chosen({ store, graph }: { store: Store; graph: CodeletGraph }) {
  const codelet = graph.codelets[store.codelet];
  if (!codelet) return <p class="faint">Click on a box for what it is. Thick arrows are followed often.</p>;
  const { model } = store;
  // The grains of a stretch are those of its procedure.
  const source = graph.procedure ? graph.source : codelet.source;
  return (
    <p id="codelet">
      {hoverOf(model, graph, codelet)
        .split("\n")
        .map((line, i) => (
          <span key={line}>{i === 0 ? <b>{line}</b> : `, ${line}`}</span>
        ))}
      {codelet.critical > 0 && `, ${percent(codelet.critical, model.meta.critical_path_ns)} of the critical path`}.{" "}
      {source !== undefined && model.sources[source].grains > 0 && (
        <button
          class="link"
          id="codelet-grains"
          onClick={() => {
            if (store.source !== source) dispatch(store, { type: "source", source });
            dispatch(store, { type: "show", view: "graph" });
          }}
        >
          {graph.procedure ? "show the procedure's grains" : "show its grains"}
        </button>
      )}
    </p>
  );
}

export function CodeletsView({ store }: { store: Store }) {
  useStore(store);
  const graphs = store.model.codeletGraphs;
  const graph = graphs[store.codeletGraph];
  if (!graph)
    return (
      <div class="sheet">
        <p>No codelets were recorded.</p>
      </div>
    );
  return (
    <div class="sheet">
      <p class="definition">
        <select
          id="codelet-graph"
          aria-label="Which graph or procedure"
          value={store.codeletGraph}
          onChange={(e) => {
            dispatch(store, { type: "codelet graph", index: Number(e.currentTarget.value) });
            e.currentTarget.blur();
          }}
        >
          {graphs.map((g, i) => (
            <option key={titleOf(g)} value={i}>
              {titleOf(g)}
            </option>
          ))}
        </select>{" "}
        {runsOf(graph)}.{" "}
        <span class="faint">
          {graph.procedure
            ? "A box is where its instances go on; a number beside an arrow, how often they went that way."
            : "A box is a class of codelets; a number beside an arrow, how many of its arcs were followed in all runs."}
        </span>
      </p>
      <Chosen store={store} graph={graph} />
      <Picture store={store} graph={graph} />
    </div>
  );
}

// From a grain to the graph that it is of.
export function CodeletsLink({ store, source }: { store: Store; source: number }) {
  const index = codeletGraphOf(store.model.codeletGraphs, source);
  if (index < 0) return null;
  const graph = store.model.codeletGraphs[index];
  return (
    <button
      class="link"
      id="to-codelets"
      title="The codelet graph: what follows what, with times"
      onClick={() => {
        dispatch(store, { type: "codelet graph", index });
        const codelet = graph.codelets.findIndex((c) => c.source === source);
        if (codelet >= 0) dispatch(store, { type: "codelet", index: codelet });
        dispatch(store, { type: "show", view: "codelets" });
      }}
    >
      {titleOf(graph)}
    </button>
  );
}
