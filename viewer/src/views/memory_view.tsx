// Large blocks of memory: which lines allocate them and on which memory nodes they lie, with the text beside.

import { useMemo, useState } from "preact/hooks";
import { count, many, megabytes, percent } from "../data/format";
import { kNone, type Model } from "../data/model";
import type { Allocations } from "../data/page";
import { css } from "../draw/colours";
import { dispatch } from "../state/actions";
import type { Store } from "../state/store";
import { inOrder, type LineColumn, LineTable } from "./line_table";
import { FileView } from "./source_view";
import { useStore } from "./use_store";

const kFirstRows = 100;

const sourceOf = (a: Allocations) => a.source ?? kNone;
// A global variable stands in no line that its memory comes from.
const hasLine = (model: Model, a: Allocations) =>
  a.source !== undefined && (model.sources[a.source].construct !== "variable" || model.sources[a.source].file !== "");

function Name({ model, of }: { model: Model; of: Allocations }) {
  const source = sourceOf(of);
  const variable = source !== kNone && model.sources[source].construct === "variable";
  return (
    <>
      <b>{model.placeOf(source)}</b>{" "}
      <span class="faint">{variable ? "variable" : source === kNone ? "" : model.whatOf(source)}</span>
    </>
  );
}

function OnNodes({ store, of: { on, others } }: { store: Store; of: Allocations }) {
  if (!on) return <span class="faint">not known</span>;
  const parts = on.map(({ node, share }) => ({
    text: `${node}: ${percent(share, 1)}`,
    share,
    colour: css(store.colours.ofMemoryNode(node)),
  }));
  return (
    <>
      <div class="bar">
        {parts.map(({ text, share, colour }) => (
          <span key={text} style={{ flexGrow: share, background: colour }} />
        ))}
        {others && <span style={{ flexGrow: others.share, background: "var(--faintbar)" }} />}
      </div>
      {parts.map(({ text }, i) => (
        <>
          {i > 0 && ", "}
          <span>{text}</span>
        </>
      ))}
      {others && (
        <>
          , <span>{`${many(others.nodes, "other")}: ${percent(others.share, 1)}`}</span>
        </>
      )}
    </>
  );
}

// Those that were searched for. Where what was found are others, or grains, there is nothing to choose: all.
function searched({ model, query, found }: Store): Allocations[] {
  const lines = model.meta.allocations?.lines ?? [];
  const of = query ? lines.filter((a) => found?.sources?.[sourceOf(a)]) : [];
  return of.length > 0 ? of : lines;
}

export function MemoryView({ store }: { store: Store }) {
  useStore(store);
  const { model } = store;
  const memory = model.meta.allocations;
  const [order, setOrder] = useState("bytes");
  const [chosen, setChosen] = useState<number>(() => memory?.lines.find((a) => hasLine(model, a))?.source ?? kNone);
  const index = useMemo(() => new Map(memory?.lines.map((a, i) => [a, i])), [memory]);
  if (!memory)
    return (
      <div class="sheet">
        <p>No allocations were recorded: einkorn record --allocations does.</p>
      </div>
    );
  const lines = searched(store);
  const source = model.isMemory(store.source) ? store.source : chosen;
  const columns: LineColumn<Allocations>[] = [
    {
      head: "blocks",
      why: "Blocks of 128 KiB and more",
      order: { by: "blocks", value: (a) => a.blocks },
      cell: (a) => count(a.blocks),
    },
    {
      head: "MB",
      why: "All of them together, freed ones included",
      order: { by: "bytes", value: (a) => a.bytes },
      cell: (a) => megabytes(a.bytes),
    },
    {
      head: "largest, MB",
      why: "The largest one",
      order: { by: "largest", value: (a) => a.largest },
      cell: (a) => megabytes(a.largest),
    },
    {
      head: "on node",
      why: "On which memory nodes they lay when they were freed or the program ended, by a sample of their pages. Ordered by the largest share",
      order: { by: "node", value: (a) => a.on?.[0].share ?? -1 },
      look: (a) => (a.one_node ? "nodes bad" : "nodes"),
      cell: (a) => <OnNodes store={store} of={a} />,
    },
  ];
  return (
    <div class="sheet split" id="memory">
      <div class="lines">
        <h2>Large blocks of memory, by who allocates them</h2>
        {memory.advice && <p class="advice">{memory.advice}.</p>}
        {lines.length < memory.lines.length && (
          <p class="faint" id="searched">
            {count(lines.length)} of {many(memory.lines.length, "line")} found
          </p>
        )}
        <LineTable
          rows={inOrder(lines, columns, order)}
          what="line"
          name={(a) => <Name model={model} of={a} />}
          hover={(a) => model.fullPlaceOf(sourceOf(a))}
          columns={columns}
          mark="allocations"
          keyOf={(a) => index.get(a) ?? -1}
          isOn={(a) => source === a.source}
          canPick={(a) => hasLine(model, a)}
          onPick={({ source: s = kNone }) => {
            setChosen(s);
            dispatch(store, { type: "source", source: s });
          }}
          most={kFirstRows}
          order={order}
          onOrder={setOrder}
        />
      </div>
      <FileView store={store} source={source} />
    </div>
  );
}
