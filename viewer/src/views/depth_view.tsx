// Tasks by their depth: how many, how long, what making one costs, and where a cut-off would stand.
import { useMemo } from "preact/hooks";
import { count, many, percent, time } from "../data/format";
import { GrainKind } from "../data/model";
import type { Store } from "../state/store";
import { useStore } from "./use_store";

interface Level {
  tasks: number;
  exec: number;
  subtree: number;
  median: number;
  cost: number;
  costs: number;
}

function levelsOf(store: Store): Level[] {
  const { grains } = store.model;
  const subtree = Float64Array.from(grains.exec);
  for (let g = grains.count - 1; g > 0; g--) {
    const up = grains.parent[g];
    if (up < grains.count && grains.kind[g] === GrainKind.task) subtree[up] += subtree[g];
  }
  const out: Level[] = [];
  const times: number[][] = [];
  for (let g = 0; g < grains.count; g++) {
    if (grains.kind[g] !== GrainKind.task) continue;
    const d = grains.depth[g];
    const l = (out[d] ??= { tasks: 0, exec: 0, subtree: 0, median: 0, cost: 0, costs: 0 });
    (times[d] ??= []).push(grains.exec[g]);
    l.tasks++;
    l.exec += grains.exec[g];
    l.subtree += subtree[g];
    if (grains.createCost[g] >= 0) {
      l.cost += grains.createCost[g];
      l.costs++;
    }
  }
  for (let d = 0; d < out.length; d++) {
    out[d] ??= { tasks: 0, exec: 0, subtree: 0, median: 0, cost: 0, costs: 0 };
    const sorted = Float64Array.from(times[d] ?? []).sort();
    out[d].median = sorted[sorted.length >> 1] ?? 0;
  }
  return out;
}

export function DepthView({ store }: { store: Store }) {
  useStore(store);
  const { meta } = store.model;
  const levels = useMemo(() => levelsOf(store), [store]);
  const cutOff = meta.metrics?.find((m) => m.key === "cut_off");
  const best = cutOff?.value;
  const points = meta.cut_off ?? [];
  const mostTasks = Math.max(1, ...levels.map((l) => l.tasks));
  const mostTime = Math.max(1, ...levels.map((l) => l.exec));
  if (levels.length === 0)
    return (
      <div class="sheet">
        <p>No tasks were recorded.</p>
      </div>
    );
  const shown = levels.slice(0, 200);
  return (
    <div class="sheet" id="depths">
      <p class="definition">
        {cutOff && (
          <>
            <b>
              <span class="term" title={cutOff.definition}>
                {cutOff.name}
              </span>
            </b>
            :{" "}
            {best === undefined ? (
              "none was found: no depth at which making tasks costs more than it balances."
            ) : (
              <b>{count(best)}</b>
            )}
            {best !== undefined && ". Below it, call the function instead of creating tasks."}{" "}
            <span class="faint">{cutOff.definition}</span>
          </>
        )}
      </p>
      <table class="depths">
        <thead>
          <tr>
            <th title="How many tasks a task is nested in">depth</th>
            <th title="Tasks at this depth">tasks</th>
            <th title="Their execution time, together">time</th>
            <th class="number" title="Median execution time of one of them, without its children">
              median task
            </th>
            <th
              class="number"
              title="Mean execution time of one of them with all tasks below it: what it would take without them"
            >
              mean subtree
            </th>
            <th class="number" title="Mean cost of creating one of them">
              creation
            </th>
            <th class="number" title="Creating the tasks of this depth, of their execution: what they lose">
              lost to creation
            </th>
            {points.length > 0 && (
              <th class="number" title="With a cut-off here: creating and fetching, ns a task">
                cost of a task with a cut-off here
              </th>
            )}
            {points.length > 0 && (
              <th class="number" title="With a cut-off here: idle time, at least, a task">
                idle a task
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {shown.map((l, d) => (
            <tr key={d} data-depth={d} class={best === d ? "best" : ""}>
              <td class="number">{d}</td>
              <td class="barcell">
                <u class="tasks" style={{ width: `${(100 * l.tasks) / mostTasks}%` }} />
                {count(l.tasks)}
              </td>
              <td class="barcell">
                <u class="time" style={{ width: `${(100 * l.exec) / mostTime}%` }} />
                {time(l.exec)}
              </td>
              <td class="number">{time(l.median)}</td>
              <td class="number">{l.tasks > 0 ? time(l.subtree / l.tasks) : ""}</td>
              <td class="number">{l.costs > 0 ? time(l.cost / l.costs) : "not known"}</td>
              <td class={`number ${l.costs > 0 && l.cost / l.costs > 0.1 * (l.exec / l.tasks) ? "bad" : ""}`}>
                {l.costs > 0 && l.exec > 0 ? percent((l.cost / l.costs) * l.tasks, l.exec) : ""}
              </td>
              {points.length > 0 && <td class="number">{points[d] ? time(points[d].parallelization) : ""}</td>}
              {points.length > 0 && (
                <td class="number">{points[d]?.idle !== undefined ? time(points[d].idle!) : ""}</td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {levels.length > shown.length && (
        <p class="faint">
          The first {shown.length} of {many(levels.length, "depth")}.
        </p>
      )}
      {meta.graph.cut && <p class="faint">This graph was cut: depths count the grains that are in this page only.</p>}
    </div>
  );
}
