// The selected grain in both recordings: before, after, change.

import type { ComponentChildren } from "preact";
import { count, digits, many, time } from "../../data/format";
import { GrainKind, kNoCpu, kNone } from "../../data/model";
import { grainsOfNode } from "../../data/scene";
import { dispatch } from "../../state/actions";
import type { Pair } from "../../state/pair/pair";
import { kSides, SideName } from "../../state/pair/sides";
import type { Store } from "../../state/store";
import { titleOf } from "../grain_link";
import { Term } from "../term";

interface Row {
  name: ComponentChildren;
  why: string;
  before: number;
  after: number;
  show: (v: number) => string;
  change?: boolean;
}

// "× 1.25"; only where more and less mean something.
export function changeOf(before: number, after: number): string {
  return before > 0 && after >= 0
    ? `× ${after / before >= 100 ? count(Math.round(after / before)) : digits(after / before)}`
    : "";
}

// Red where it takes a fifth longer or more.
export function changeClass(before: number, after: number): string {
  return before > 0 && after > 1.2 * before ? "bad" : before > 0 && after >= 0 && after < before / 1.2 ? "good" : "";
}

function rowsOf(pair: Pair, before: number, after: number): Row[] {
  const g = { before: pair.stores.before.model.grains, after: pair.stores.after.model.grains };
  const timeOf = (v: number) => (v >= 0 ? time(v) : "");
  const number = (v: number) => (v >= 0 && v !== kNone && v !== kNoCpu ? count(v) : "");
  const row = (
    name: string,
    why: string,
    of: (s: SideName, grain: number) => number,
    show: (v: number) => string,
    change = false,
  ): Row => ({
    name,
    why,
    before: before === kNone ? -1 : of("before", before),
    after: after === kNone ? -1 : of("after", after),
    show,
    change,
  });
  return [
    row(
      "execution",
      "Time in its own code: without its children, its waits and the runtime.",
      (s, i) => g[s].exec[i],
      timeOf,
      true,
    ),
    row(
      "from begin to end",
      "From the begin of its first fragment to the end of its last, waits included.",
      (s, i) => g[s].span[i],
      timeOf,
      true,
    ),
    row(
      "waits",
      "Time from begin to end of its waits, what ran inside them included.",
      (s, i) => g[s].wait[i] || -1,
      timeOf,
    ),
    row("creation", "What creating it cost its creator.", (s, i) => g[s].createCost[i], timeOf, true),
    row("began", "From the start of the recording.", (s, i) => g[s].begin[i], timeOf),
    row("thread", "The thread that ran its first fragment.", (s, i) => g[s].thread[i], number),
    row("CPU", "Where its first fragment ran.", (s, i) => g[s].cpu[i], number),
    row("children", "Grains that it created, or that belong to it.", (s, i) => g[s].children[i], number),
  ];
}

function sums(store: Store): { grains: number; exec: number; longest: number } {
  const out = { grains: 0, exec: 0, longest: 0 };
  if (store.selectedNode < 0) return out;
  const members = grainsOfNode(store.scene, store.selectedNode);
  const { exec } = store.model.grains;
  for (let i = 0; i < members.length; i++) {
    if (!store.model.isGrain(members[i])) continue;
    out.grains++;
    out.exec += Math.max(0, exec[members[i]]);
    out.longest = Math.max(out.longest, exec[members[i]]);
  }
  return out;
}

function groupRows(pair: Pair): Row[] {
  const [before, after] = kSides.map((s) => sums(pair.stores[s]));
  const row = (name: string, why: string, of: (s: typeof before) => number, show: (v: number) => string): Row => ({
    name,
    why,
    before: of(before),
    after: of(after),
    show,
    change: true,
  });
  return [
    row("grains", "Tasks, chunks and shares in this box.", (s) => s.grains, count),
    row("execution", "Their execution time together.", (s) => s.exec, time),
    row(
      "mean",
      "Of one of them.",
      (s) => (s.grains > 0 ? s.exec / s.grains : -1),
      (v) => (v < 0 ? "" : time(v)),
    ),
    row("longest", "Of one of them.", (s) => s.longest, time),
  ];
}

// Why there is nothing beside it.
function Lonely({ pair, side, grain }: { pair: Pair; side: SideName; grain: number }) {
  const there = side === "before" ? "after" : "before";
  if (pair.isNotDrawnThere(side, grain))
    return <p class="note">Its counterpart is inside of an aggregate of the other picture, which was cut.</p>;
  const kind = pair.stores[side].model.grains.kind[grain];
  const why =
    kind === GrainKind.share
      ? " The shares of teams of different sizes are not the same."
      : kind === GrainKind.chunk
        ? " A chunk is the same where its iterations are."
        : "";
  return (
    <p class="note" id="lonely">
      It is in this recording only ({side}): {there} has no grain of this name.{why}
    </p>
  );
}

export function PairGrain({ pair }: { pair: Pair }) {
  const { active: side, shown: store } = pair;
  const { selectedNode: node, selectedGrain: grain } = store;
  if (node < 0)
    return (
      <section class="grain empty">
        <p>Click a box: its grain is selected in both recordings.</p>
      </section>
    );
  const group = grain === kNone;
  if (group && grainsOfNode(store.scene, node).length === 0) return null;
  const other = group ? kNone : pair.counterpart(side, grain);
  const [before, after] = side === "before" ? [grain, other] : [other, grain];
  const rows = group ? groupRows(pair) : rowsOf(pair, before, after);
  const both = group || other !== kNone;
  return (
    <section class="grain both" id="both">
      <h2>
        {group ? many(grainsOfNode(store.scene, node).length, "grain") : titleOf(store.model, grain)}
        <button
          class="close"
          title="Close (Escape)"
          aria-label="Close"
          onClick={() => dispatch(store, { type: "select node", node: -1 })}
        >
          ×
        </button>
      </h2>
      {!both && <Lonely pair={pair} side={side} grain={grain} />}
      <table class="spread">
        <thead>
          <tr>
            <th />
            <th class="number">before</th>
            <th class="number">after</th>
            <th class="number" title="After over before">
              change
            </th>
          </tr>
        </thead>
        <tbody>
          {rows
            .filter((r) => r.show(r.before) !== "" || r.show(r.after) !== "")
            .map((r, i) => (
              <tr key={i}>
                <td title={r.why}>{r.name}</td>
                <td class="number">{r.show(r.before)}</td>
                <td class="number">{r.show(r.after)}</td>
                <td class={`number ${r.change && pair.meta.times ? changeClass(r.before, r.after) : ""}`}>
                  {r.change && both && pair.meta.times ? changeOf(r.before, r.after) : ""}
                </td>
              </tr>
            ))}
          {!group &&
            pair.stores.after.metrics
              .filter((m) => !m.change && m.key !== "exec" && m.key !== "creation")
              .map((m) => {
                const was = before === kNone ? NaN : m.beside!.values[before];
                const is = after === kNone ? NaN : m.values[after];
                return (
                  (!Number.isNaN(was) || !Number.isNaN(is)) && (
                    <tr key={m.key}>
                      <td>
                        <Term metric={m} />
                      </td>
                      <td class={`number ${m.isProblem(was) ? "bad" : ""}`}>
                        {!Number.isNaN(was) ? m.format(was) : ""}
                      </td>
                      <td class={`number ${m.isProblem(is) ? "bad" : ""}`}>{!Number.isNaN(is) ? m.format(is) : ""}</td>
                      <td />
                    </tr>
                  )
                );
              })}
        </tbody>
      </table>
    </section>
  );
}
