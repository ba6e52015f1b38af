// One line below the picture: how much of the graph is shown, what the pointer is on.

import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { count, many, shortened, time } from "../data/format";
import { kNodeKindNames, kNone, NodeKind } from "../data/model";
import { grainsOfNode } from "../data/scene";
import { dispatch } from "../state/actions";
import type { Store } from "../state/store";

function pointedAt(store: Store): string {
  const { model, stage, scene, colouring } = store;
  const node = stage?.hovered ?? -1;
  if (node < 0) return "";
  const { nodes } = scene;
  const source = model.sourceOfNode(nodes, node);
  const members = grainsOfNode(scene, node);
  const several = scene.grainsOf && members.length > 1 && nodes.members[node] > 0;
  const parts = [
    several ? many(nodes.members[node], "grain") : kNodeKindNames[nodes.kind[node]],
    model.placeOf(source),
  ];
  if (source !== kNone && model.sources[source].function) parts.push(shortened(model.sources[source].function));
  if (nodes.kind[node] !== NodeKind.join) parts.push(time(nodes.weight[node]));
  if (typeof colouring !== "string" && members.length === 1 && colouring.key !== "exec")
    parts.push(`${colouring.name} ${colouring.format(colouring.values[members[0]])}`);
  return parts.join(" · ");
}

export function StatusLine({ store }: { store: Store }) {
  const [, again] = useState(0);
  useLayoutEffect(() => store.subscribeView(() => again((n) => n + 1)), [store]);
  const { model, scene } = store;
  const boxes = useMemo(
    () => scene.nodes.kind.reduce((sum, k) => sum + (k === NodeKind.fork || k === NodeKind.join ? 0 : 1), 0),
    [scene],
  );
  const { graph } = model.meta;
  const shown = useMemo(
    () => (graph.cut ? model.nodes.members.reduce((sum, m) => sum + m, 0) : model.nodes.count),
    [model],
  );
  const drawn = store.stage?.stats.drawn ?? 0;
  return (
    <footer class="status">
      {scene.form === "nodes" ? (
        <span
          id="shown"
          title={
            graph.cut ??
            "Every node of the grain graph is in this page, and adds to the picture at every zoom: what is smaller than a pixel is mixed into it."
          }
        >
          shows {count(shown)} of {count(graph.nodes)} nodes
          {graph.cut ? ` in ${count(model.nodes.count)} drawn ones` : ""}
        </span>
      ) : (
        <span
          id="shown"
          title={
            store.usualForm === scene.form
              ? "The whole graph would be a long bar, too narrow to see anything in"
              : undefined
          }
        >
          {model.grainsHere < model.allGrains ? `${count(model.grainsHere)} of ` : ""}
          {count(model.allGrains)} grains in {count(boxes)} boxes
          {scene.capped > 0 ? `, ${count(scene.capped)} of them inside collapsed subtrees` : ""}
        </span>
      )}
      <span class="faint">{count(drawn)} in view</span>
      {graph.part && (
        <span id="part">
          nodes {count(graph.part.first)} to {count(graph.part.first + graph.part.count - 1)} of the graph:{" "}
          <button
            class="link"
            id="up"
            title="Where this part was opened from (u, or the wheel where it goes no further out)"
            onClick={() => dispatch(store, { type: "leave" })}
          >
            back
          </button>{" "}
          {graph.part.first > 0 && (
            <button
              class="link"
              id="part-before"
              onClick={() => dispatch(store, { type: "open", node: graph.part!.first - 1 })}
            >
              before it
            </button>
          )}{" "}
          {graph.part.first + graph.part.count < graph.nodes && (
            <button
              class="link"
              id="part-after"
              onClick={() => dispatch(store, { type: "open", node: graph.part!.first + graph.part!.count })}
            >
              after it
            </button>
          )}{" "}
          <a href="./">the whole</a>
        </span>
      )}
      {store.opening && <b id="opening">opening ...</b>}
      {graph.cut && <span class="cut">{graph.cut}</span>}
      <span class="gap" />
      <span class="pointed">{pointedAt(store)}</span>
    </footer>
  );
}
