// One line below the picture: how much of the graph is shown, what the pointer is on.
import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import { count, time } from "../format";
import { kNodeKindNames, kNone, NodeKind } from "../model";
import type { Store } from "../store";

function pointedAt(store: Store): string {
  const { model, stage } = store;
  const node = stage?.hovered ?? -1;
  if (node < 0) return "";
  const { nodes } = model;
  const source = model.sourceOfNode(node);
  const parts = [kNodeKindNames[nodes.kind[node]], model.placeOf(source)];
  if (source !== kNone && model.sources[source].function) parts.push(model.sources[source].function);
  if (nodes.kind[node] !== NodeKind.join) parts.push(time(nodes.weight[node]));
  return parts.join(" · ");
}

export function StatusLine({ store }: { store: Store }) {
  const [, again] = useState(0);
  useLayoutEffect(() => store.subscribeView(() => again((n) => n + 1)), [store]);
  const { model } = store;
  const { graph } = model.meta;
  const shown = useMemo(() => (graph.cut ? model.nodes.members.reduce((sum, m) => sum + m, 0) : model.nodes.count), [model]);
  const drawn = store.stage?.stats.drawn ?? 0;
  return (
    <footer class="status">
      <span id="shown" title={graph.cut ?? "Every node of the grain graph is in this page, and adds to the picture at every zoom: what is smaller than a pixel is mixed into it."}>
        shows {count(shown)} of {count(graph.nodes)} nodes{graph.cut ? ` in ${count(model.nodes.count)} drawn ones` : ""}
      </span>
      <span class="faint">{count(drawn)} in view</span>
      {graph.cut && <span class="cut">{graph.cut}</span>}
      <span class="gap" />
      <span class="pointed">{pointedAt(store)}</span>
    </footer>
  );
}
