// Source lines with before, after and change: a short table beside the pictures, a full one as the view of sources.

import { useState } from "preact/hooks";
import { count, digits, time } from "../../data/format";
import { kNone } from "../../data/model";
import type { LineChange } from "../../data/page";
import { dispatch } from "../../state/actions";
import type { Pair } from "../../state/pair/pair";
import type { SideName } from "../../state/pair/sides";
import type { Store } from "../../state/store";
import { inOrder, type LineColumn, LineName, LineTable } from "../line_table";
import { FileView } from "../source_view";
import { changeClass, changeOf } from "./pair_grain";

const kFirstRows = 30;
const signed = (ns: number) => (ns === 0 ? "0" : `${ns < 0 ? "−" : "+"}${time(Math.abs(ns))}`);

function highlight(pair: Pair, line: LineChange): void {
  const { before, after } = pair.stores;
  if (line.after_source !== undefined) dispatch(after, { type: "source", source: line.after_source });
  else if (line.before_source !== undefined) dispatch(before, { type: "source", source: line.before_source });
}

function isOn(pair: Pair, line: LineChange): boolean {
  const { before, after } = pair.stores;
  return line.after_source !== undefined
    ? after.source === line.after_source
    : line.before_source !== undefined && before.source === line.before_source;
}

// The recording that has the line, and its number there: the second where both have it.
function inOne(pair: Pair, line: LineChange): { store: Store; source: number } {
  const { before, after } = pair.stores;
  const store = line.after_source !== undefined ? after : before;
  return { store, source: line.after_source ?? line.before_source ?? kNone };
}

function Name({ pair, line }: { pair: Pair; line: LineChange }) {
  return (
    <>
      <LineName {...inOne(pair, line)} what={line.kind} />
      {(line.before.grains === 0 || line.after.grains === 0) && (
        <span class="flag">only {line.before.grains > 0 ? "before" : "after"}</span>
      )}
    </>
  );
}

const exec = (side: SideName) => (l: LineChange) => (l[side].grains > 0 ? time(l[side].exec) : "");
const grains = (side: SideName) => (l: LineChange) => count(l[side].grains);
const difference = (l: LineChange) => signed(l.after.exec - l.before.exec);
const kChange: LineColumn<LineChange> = {
  head: "change",
  why: "After over before",
  look: (l) => changeClass(l.before.exec, l.after.exec),
  cell: (l) => (l.after.grains > 0 ? changeOf(l.before.exec, l.after.exec) : ""),
};
const kShortTimes: LineColumn<LineChange>[] = [
  { head: "before", why: "Execution time of all its grains in the first recording", cell: exec("before") },
  { head: "after", why: "In the second", cell: exec("after") },
  { ...kChange, hover: difference },
];
const kShortGrains: LineColumn<LineChange>[] = [
  { head: "grains", why: "Grains in the first recording", cell: grains("before") },
  { head: "after", cell: grains("after") },
];
const kGrains: LineColumn<LineChange>[] = [
  { head: "grains before", why: "Tasks, chunks and shares in the first recording", cell: grains("before") },
  { head: "after", why: "In the second", cell: grains("after") },
  { head: "in both", why: "With the same name in both", cell: (l) => count(l.matched) },
];
const kTimes: LineColumn<LineChange>[] = [
  {
    head: "time before",
    why: "Execution time of all its grains in the first recording",
    order: { by: "before", value: (l) => l.before.exec },
    cell: exec("before"),
  },
  { head: "after", why: "In the second", order: { by: "after", value: (l) => l.after.exec }, cell: exec("after") },
  {
    head: "difference",
    why: "After less before",
    order: { by: "difference", value: (l) => Math.abs(l.after.exec - l.before.exec) },
    cell: difference,
  },
  {
    ...kChange,
    order: { by: "change", value: (l) => (l.before.exec > 0 ? l.after.exec / l.before.exec : -1) },
  },
];
const times = (change: number | undefined) => (change === undefined ? "" : `× ${digits(change)}`);
const kPerGrain: LineColumn<LineChange>[] = [
  {
    head: "median grain",
    why: "Of its grains, each one's execution after over before: the median",
    cell: (l) => times(l.median),
  },
  {
    head: "worst grain",
    why: "The largest",
    order: { by: "worst", value: (l) => l.worst ?? -1 },
    cell: (l) => times(l.worst),
  },
];

// What the two tables have in common.
function tableOf(pair: Pair) {
  const index = new Map(pair.meta.lines.map((l, i) => [l, i]));
  return {
    name: (l: LineChange) => <Name pair={pair} line={l} />,
    hover: (l: LineChange) => {
      const { store, source } = inOne(pair, l);
      return source === kNone ? "" : `${store.model.fullPlaceOf(source)}\nClick: highlight its grains in both`;
    },
    keyOf: (l: LineChange) => index.get(l) ?? -1,
    isOn: (l: LineChange) => isOn(pair, l),
    onPick: (l: LineChange) => highlight(pair, l),
  };
}

export function PairLines({ pair }: { pair: Pair }) {
  const { meta } = pair;
  if (meta.lines.length === 0) return null;
  return (
    <section class="sources" id="lines">
      <h2 title="Every place in the program that makes grains; the largest change of execution time first">
        {meta.times ? "Source lines, the largest change first" : "Source lines"}
      </h2>
      <LineTable
        {...tableOf(pair)}
        rows={meta.lines}
        what="line"
        columns={meta.times ? kShortTimes : kShortGrains}
        mark="change"
        most={kFirstRows}
      />
    </section>
  );
}

// All lines, with the text of the chosen one beside.
export function PairSources({ pair }: { pair: Pair }) {
  const [order, setOrder] = useState("difference");
  const { meta } = pair;
  const { before, after } = pair.stores;
  const columns = [...kGrains, ...(meta.times ? kTimes : []), ...(meta.per_grain ? kPerGrain : [])];
  const lines = inOrder(meta.lines, columns, order);
  const inBefore = after.source === kNone && before.source !== kNone;
  const shown = inBefore
    ? { store: before, source: before.source }
    : after.source !== kNone
      ? { store: after, source: after.source }
      : lines.length > 0
        ? inOne(pair, lines[0])
        : { store: before, source: kNone };
  return (
    <div class="sheet split" id="sources">
      <div class="lines">
        <LineTable
          {...tableOf(pair)}
          rows={lines}
          what="source"
          columns={columns}
          mark="line"
          order={order}
          onOrder={setOrder}
        />
      </div>
      <FileView {...shown} />
    </div>
  );
}
