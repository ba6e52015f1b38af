// What keeps the program from running faster, ranked: the first thing to read. And the metrics by which grains are
// problems, each with the part of grains that are.

import { count, many, percent, time } from "../data/format";
import type { Metric } from "../data/metrics";
import type { Problem } from "../data/page";
import { dispatch } from "../state/actions";
import type { Store } from "../state/store";
import { SourceLines } from "./source_text";
import { Term } from "./term";
import { useStore } from "./use_store";

const kTitles: Record<string, string> = {
  tasks_too_fine: "Tasks too fine",
  chunks_too_fine: "Chunks too fine",
  too_coarse: "Tasks or chunks too coarse",
  one_creator: "One thread creates for all",
  load_imbalance: "Uneven load",
  little_parallelism: "Too little parallelism",
  serial: "Serial part",
  lock: "Waiting for a lock",
  work_inflation: "Work takes longer than alone",
  remote_data: "Data on other nodes",
  loop_order: "Loops in the wrong order",
  few_threads: "Fewer threads than CPUs",
  many_barriers: "Too many barriers",
  short_regions: "Parallel regions too short",
  late_tasks: "Critical tasks run late",
  waiting: "Threads wait",
  ordered: "Waiting for one's turn",
  false_sharing: "False sharing",
  shared_variable: "One variable, written by several threads",
};

export function titleOfProblem(p: Problem): string {
  return kTitles[p.kind] ?? p.kind.replace(/_/g, " ").replace(/^./, (c) => c.toUpperCase());
}

function Card({ store, problem, rank }: { store: Store; problem: Problem; rank: number }) {
  const { model } = store;
  const open = store.openProblem === rank;
  const chosen = store.problem === rank;
  const source = problem.source === undefined ? null : model.sources[problem.source];
  const wall = model.meta.wall_ns;
  const gain = problem.gain_ns;
  const others = problem.sources.filter((s) => s !== problem.source);
  return (
    <li class={`problem ${open ? "open" : ""} ${chosen ? "on" : ""}`} data-problem={rank}>
      <button
        class="head"
        aria-pressed={chosen}
        title={chosen ? "Click: show everything again" : "Click: show its grains and its line"}
        onClick={() => dispatch(store, { type: "problem", index: rank })}
      >
        <span class="rank">{rank + 1}</span>
        <span class="name">
          {titleOfProblem(problem)}
          {source && <b class="where">{model.placeOf(problem.source!)}</b>}
        </span>
        {gain === undefined ? (
          <span class="gain" title="Times of this recording are not valid: problems are ranked by counts and bytes.">
            {percent(problem.share, 1)}
          </span>
        ) : (
          <span
            class="gain"
            title={`Fixing it saves at most this much of the ${time(wall)} of wall time: an upper bound, computed from what was measured. Bounds of several problems may cover the same time.`}
          >
            up to {time(gain)}
            <u>
              <i style={{ width: `${Math.min(100, (100 * gain) / Math.max(1, wall))}%` }} />
            </u>
          </span>
        )}
      </button>
      {open && (
        <div class="detail">
          <p>
            {problem.what.replace(/^./, (c) => c.toUpperCase())}
            {problem.grains > 0 && <span class="faint"> · {many(problem.grains, "grain")}</span>}
          </p>
          {problem.evidence.length > 0 && (
            <ul class="evidence">
              {problem.evidence.map((e) => (
                <li key={e}>{e}</li>
              ))}
            </ul>
          )}
          <p class="advice">{problem.advice}</p>
          {problem.tune_tries && (
            <p class="faint">einkorn tune tries {problem.tune_tries}, without touching the source</p>
          )}
          {others.length > 0 && (
            <p class="faint">
              also{" "}
              {others.slice(0, 6).map((s, i) => (
                <>
                  {i > 0 && ", "}
                  <button class="link" onClick={() => dispatch(store, { type: "source", source: s })}>
                    {model.placeOf(s)}
                  </button>
                </>
              ))}
              {others.length > 6 && ` and ${others.length - 6} more`}
            </p>
          )}
          {source && <SourceLines store={store} source={problem.source!} around={2} />}
        </div>
      )}
    </li>
  );
}

function Share({ store, metric }: { store: Store; metric: Metric }) {
  const { present, problems, problemExec: exec } = metric.counts;
  const work = store.model.meta.exec;
  const on = store.colouring === metric;
  return (
    <li>
      <button
        class={`metric ${on ? "on" : ""}`}
        data-metric={metric.key}
        aria-pressed={on}
        onClick={() => dispatch(store, { type: "colours", by: on ? "source" : metric.key })}
      >
        <Term metric={metric} /> <span class="faint">{metric.limit}</span>
        <span
          class="part"
          title={`${count(problems)} of ${many(present, "grain")} that have it; they are ${percent(exec, work)} of the work. Click: colour the graph by it.`}
        >
          <b>{percent(problems, present)}</b> <span class="faint">of grains</span>
        </span>
        <u>
          <i style={{ width: `${(100 * problems) / Math.max(1, present)}%` }} />
        </u>
      </button>
    </li>
  );
}

export function Problems({ store }: { store: Store }) {
  useStore(store);
  const { meta } = store.model;
  const warning = store.metrics.filter((m) => m.bad && (m.description.problems ?? 0) > 0);
  const fine = store.metrics.filter((m) => m.bad && !(m.description.problems ?? 0));
  return (
    <>
      <section class="problems" id="problems">
        <h2 title="Ranked by the wall time that fixing each could save at most">
          {meta.problems.length > 0 ? "What to look at first" : "What was found"}
        </h2>
        {(meta.problems.length === 0 || !meta.times_valid) && (
          <p class="verdict">{meta.verdict.replace(/^[a-z](?=[a-z]* )/, (c) => c.toUpperCase())}.</p>
        )}
        {meta.problems.length > 0 && (
          <ol>
            {meta.problems.map((p, i) => (
              <Card key={i} store={store} problem={p} rank={i} />
            ))}
          </ol>
        )}
      </section>
      {store.metrics.some((m) => m.bad) && (
        <section class="metrics" id="metrics">
          <h2 title="Each grain is judged by each of these; a click colours the graph by it and dims what is no problem">
            Grains beyond a threshold
          </h2>
          <ul>
            {warning.map((m) => (
              <Share key={m.key} store={store} metric={m} />
            ))}
          </ul>
          {fine.length > 0 && (
            <p class="faint">
              No grain:{" "}
              {fine.map((m, i) => (
                <>
                  {i > 0 && ", "}
                  <Term metric={m} />
                </>
              ))}
              .
            </p>
          )}
        </section>
      )}
    </>
  );
}
