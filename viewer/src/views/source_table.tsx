// Sources by total time: where in the program the work is.

import { count, time } from "../data/format";
import type { Model } from "../data/model";
import { dispatch } from "../state/actions";
import type { Store } from "../state/store";
import { type LineColumn, LineName, LineTable, Part } from "./line_table";
import { useStore } from "./use_store";

const kFirstRows = 40;

export function sourcesByTime(model: Model): number[] {
  return model.sources
    .map((_, i) => i)
    .filter((i) => model.sources[i].grains > 0)
    .sort((a, b) => model.sources[b].exec - model.sources[a].exec);
}

export function SourceTable({ store }: { store: Store }) {
  useStore(store);
  const { model } = store;
  const { sources } = model;
  const total = sources.reduce((sum, s) => sum + s.exec, 0);
  const columns: LineColumn<number>[] = [
    { head: "grains", why: "Tasks, chunks and shares that this place made", cell: (i) => count(sources[i].grains) },
    {
      head: "time",
      why: "Execution time of all its grains together: their own code, without waits, children and runtime",
      cell: (i) => time(sources[i].exec),
    },
    {
      head: "share",
      why: "Share of all grains' execution time",
      look: () => "share",
      cell: (i) => <Part part={sources[i].exec} whole={total} />,
    },
    { head: "mean", why: "Mean execution time of a grain", cell: (i) => time(sources[i].exec / sources[i].grains) },
  ];
  return (
    <section class="sources">
      <h2 title="Every place in the program that makes grains, by the execution time of all its grains">
        Sources by total time
      </h2>
      <LineTable
        rows={sourcesByTime(model)}
        what="source"
        name={(i) => <LineName store={store} source={i} />}
        hover={(i) => `${model.fullPlaceOf(i)}\nClick: highlight its grains`}
        columns={columns}
        mark="source"
        keyOf={(i) => i}
        isOn={(i) => store.source === i}
        onPick={(i) => dispatch(store, { type: "source", source: i })}
        most={kFirstRows}
      />
    </section>
  );
}
