// The problems of both recordings, each line of the program once: what went away, what is new, what got worse.

import { percent, time } from "../../data/format";
import { kNone } from "../../data/model";
import type { Problem } from "../../data/page";
import { dispatch } from "../../state/actions";
import type { Pair } from "../../state/pair/pair";
import { kSides, SideName } from "../../state/pair/sides";
import { titleOfProblem } from "../problems";

interface Row {
  key: string;
  before: number;
  after: number;
} // indices of the problems; -1: not there

function rowsOf(pair: Pair): Row[] {
  const rows = new Map<string, Row>();
  for (const side of ["after", "before"] as SideName[]) {
    const { model } = pair.stores[side];
    model.meta.problems.forEach((p, i) => {
      const key = `${p.kind} ${p.source === undefined ? "" : model.placeOf(p.source)}`;
      const row = rows.get(key) ?? { key, before: -1, after: -1 };
      if (row[side] < 0) row[side] = i;
      rows.set(key, row);
    });
  }
  const gain = (row: Row) =>
    Math.max(...kSides.map((s) => (row[s] < 0 ? 0 : (pair.stores[s].model.meta.problems[row[s]].gain_ns ?? 0))));
  return [...rows.values()].sort((a, b) => gain(b) - gain(a));
}

export function PairProblems({ pair }: { pair: Pair }) {
  const rows = rowsOf(pair);
  const of = (row: Row, side: SideName): Problem | null =>
    row[side] < 0 ? null : pair.stores[side].model.meta.problems[row[side]];
  const gain = (p: Problem | null) =>
    p === null ? "" : p.gain_ns === undefined ? percent(p.share, 1) : time(p.gain_ns);
  return (
    <section class="sources" id="problems">
      <h2 title="Ranked by the wall time that fixing each could save at most">Problems, before and after</h2>
      {rows.length === 0 ? (
        <p>None was found in either recording.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th>problem</th>
              <th class="number" title="Wall time that fixing it could save at most, in the first recording">
                before
              </th>
              <th class="number" title="In the second">
                after
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const side: SideName = row.after >= 0 ? "after" : "before";
              const store = pair.stores[side];
              const problem = of(row, side)!;
              const on = kSides.some((s) => row[s] >= 0 && pair.stores[s].problem === row[s]);
              return (
                <tr
                  key={row.key}
                  class={on ? "on" : ""}
                  data-problem={row.key}
                  title={`${problem.what}\n${problem.advice}`}
                  onClick={() => dispatch(store, { type: "problem", index: row[side] })}
                >
                  <td>
                    <b>{titleOfProblem(problem)}</b>
                    {problem.source !== undefined && problem.source !== kNone && (
                      <span class="faint">{store.model.placeOf(problem.source)}</span>
                    )}
                    {on && (
                      <span class="advice">
                        {problem.what.replace(/^./, (c) => c.toUpperCase())}. {problem.advice}
                      </span>
                    )}
                  </td>
                  <td class="number">{gain(of(row, "before")) || "–"}</td>
                  <td class="number">{gain(of(row, "after")) || "–"}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
    </section>
  );
}
