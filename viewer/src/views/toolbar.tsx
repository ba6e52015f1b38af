// Views, search, and what the picture shows.

import type { ComponentChildren } from "preact";
import { count, many } from "../data/format";
import { kNone } from "../data/model";
import { Form, kFormHovers, kFormNames, kForms } from "../data/scene";
import { kStructures, Structure } from "../draw/colours";
import { dispatch } from "../state/actions";
import { Store, ViewName } from "../state/store";
import { nextTheme } from "../state/theme";
import { useStore } from "./use_store";

const kViewNames: Record<ViewName, string> = {
  graph: "Graph",
  timeline: "Timeline",
  histogram: "Histogram",
  source: "Source",
  depth: "Depth",
  codelets: "Codelets",
  memory: "Memory",
};
const kViewHovers: Record<ViewName, string> = {
  graph: "The grain graph: who created whom, and who waits for whom",
  timeline: "What each thread did when",
  histogram: "How a metric is spread over the grains",
  source: "Source lines with what their grains cost, and the text beside",
  depth: "Tasks by their depth: where a recursion should stop making them",
  codelets: "Graphs of codelets and procedures: what follows what, with times",
  memory: "Large blocks of memory: who allocates them, and on which memory nodes they lie",
};
const kStructureNames: Record<Structure, string> = {
  source: "source line",
  kind: "kind of grain",
  thread: "thread",
  node: "memory node",
  home: "memory node of its data",
};

export function found(store: Store): string {
  const { result, found } = store;
  if (!result) return "";
  const grains = found?.inside?.here ?? result.grains;
  const what = grains > 0 || result.stops.length === 0 ? many(grains, "grain") : many(result.stops.length, "join");
  const name = found?.what ? `${found.what}: ` : "";
  return store.stop >= 0 ? `${name}${count(store.stop + 1)} of ${count(result.stops.length)}` : `${name}${what} found`;
}

function Views({ store }: { store: Store }) {
  useStore(store);
  return (
    <div class="views" role="tablist">
      {store.views.map((v, i) => (
        <button
          key={v}
          role="tab"
          id={`view-${v}`}
          aria-selected={store.shown === v}
          class={store.shown === v ? "on" : ""}
          title={`${kViewHovers[v]} (${i + 1})`}
          onClick={() => dispatch(store, { type: "show", view: v })}
        >
          <kbd>{i + 1}</kbd>
          {kViewNames[v]}
        </button>
      ))}
    </div>
  );
}

function FormChoice({ store }: { store: Store }) {
  const { form } = store.scene;
  const level = store.form.level;
  return (
    <>
      <label title={kFormHovers[form]}>
        show{" "}
        <select
          id="form"
          value={form}
          onChange={(e) => {
            dispatch(store, { type: "form", form: e.currentTarget.value as Form });
            e.currentTarget.blur();
          }}
        >
          {kForms.map((f) => (
            <option key={f} value={f} title={kFormHovers[f]}>
              {kFormNames[f]}
            </option>
          ))}
        </select>
      </label>
      {form === "grains" && store.facts.deepest > 1 && (
        <label title="Subtrees of tasks at this depth are one box each. One grain's subtree: select it, then x.">
          to depth{" "}
          <input
            id="level"
            type="range"
            min={1}
            max={store.facts.deepest}
            value={level}
            onChange={(e) => {
              dispatch(store, { type: "level", level: Number(e.currentTarget.value) });
              e.currentTarget.blur();
            }}
          />{" "}
          {level >= store.facts.deepest ? "all" : level - 1}
        </label>
      )}
    </>
  );
}

// Of a graph that is too large for one page: what was found, but is inside of an aggregate or in another part.
function Elsewhere({ store }: { store: Store }) {
  const { inside, unanswered } = store.found ?? {};
  if (unanswered)
    return (
      <span id="elsewhere" class="found" title="einkorn view does not answer: only what is drawn was counted">
        not all counted
      </span>
    );
  if (!inside || inside.hidden === kNone) return null;
  return (
    <button
      class="link"
      id="elsewhere"
      title="Open the part of the graph with the first of them that is not drawn here"
      onClick={() => dispatch(store, { type: "open", node: inside.hidden })}
    >
      {inside.here < inside.all ? `${count(inside.all)} in the recording: ` : ""}open
    </button>
  );
}

export function Toolbar({ store, children }: { store: Store; children?: ComponentChildren }) {
  useStore(store);
  const graph = store.shown === "graph";
  const coloured = graph || store.shown === "timeline";
  return (
    <div class="toolbar">
      <Views store={store} />
      <div class="search">
        <input
          id="search"
          type="search"
          spellcheck={false}
          placeholder="Find (f)"
          value={store.query}
          aria-label="Find grains by file:line, file, function or grain id"
          title="sort.c:142, a file, a function, a construct (task, loop, ...), or the first digits of a grain's id. Enter steps through what was found."
          onInput={(e) => dispatch(store, { type: "find", text: e.currentTarget.value })}
          onKeyDown={(e) => {
            if (e.key === "Enter") {
              dispatch(store, { type: "step", by: e.shiftKey ? -1 : 1 });
              e.preventDefault();
            }
            if (e.key === "Escape") {
              dispatch(store, { type: "clear" });
              e.currentTarget.blur();
            }
          }}
        />
        <span id="found" class="found" role="status">
          {found(store)}
        </span>
        {store.result && store.result.stops.length > 0 && (
          <>
            <button
              title="Previous one found (Shift+Enter, p)"
              aria-label="Previous"
              onClick={() => dispatch(store, { type: "step", by: -1 })}
            >
              ‹
            </button>
            <button
              title="Next one found (Enter, n)"
              aria-label="Next"
              onClick={() => dispatch(store, { type: "step", by: 1 })}
            >
              ›
            </button>
          </>
        )}
        <Elsewhere store={store} />
        {store.result && (
          <button id="clear" title="Show everything again (Escape)" onClick={() => dispatch(store, { type: "clear" })}>
            clear
          </button>
        )}
      </div>
      {coloured && (
        <label title="What the colours of the boxes mean">
          colour{" "}
          <select
            id="colour"
            value={store.colouringKey}
            onChange={(e) => {
              dispatch(store, { type: "colours", by: e.currentTarget.value });
              e.currentTarget.blur();
            }}
          >
            <optgroup label="structure">
              {kStructures
                .filter((m) => m !== "home" || store.model.homes)
                .map((m) => (
                  <option key={m} value={m}>
                    {kStructureNames[m]}
                  </option>
                ))}
            </optgroup>
            <optgroup label="problems">
              {store.metrics
                .filter((m) => m.bad)
                .map((m) => (
                  <option key={m.key} value={m.key} title={m.description.definition}>
                    {m.name}
                  </option>
                ))}
            </optgroup>
            <optgroup label="measures">
              {store.metrics
                .filter((m) => !m.bad)
                .map((m) => (
                  <option key={m.key} value={m.key} title={m.description.definition}>
                    {m.name}
                  </option>
                ))}
            </optgroup>
          </select>
        </label>
      )}
      {graph && <FormChoice store={store} />}
      {graph && (
        <button
          id="critical"
          class={store.showCritical ? "on critical" : ""}
          aria-pressed={store.showCritical}
          title="The longest chain of grains that must run one after the other (c)"
          onClick={() => dispatch(store, { type: "critical", on: !store.showCritical })}
        >
          critical path
        </button>
      )}
      {graph && store.model.hasDependences && (
        <button
          id="dependences"
          class={store.showDependences ? "on" : ""}
          aria-pressed={store.showDependences}
          title="Which tasks wait for which by their depend clauses: all as thin lines, the selected grain's as arrows (e)"
          onClick={() => dispatch(store, { type: "dependences", on: !store.showDependences })}
        >
          dependences
        </button>
      )}
      {children}
      <span class="gap" />
      <button
        id="theme"
        title="Light, dark, or as the system says (t)"
        aria-label={`Colours: ${store.themeName}`}
        onClick={() => dispatch(store, { type: "theme", name: nextTheme(store.themeName) })}
      >
        ◐
      </button>
      <button
        title="Keys and how to read the picture (?)"
        aria-label="Help"
        onClick={() => {
          dispatch(store, { type: "help", on: true });
        }}
      >
        ?
      </button>
    </div>
  );
}
