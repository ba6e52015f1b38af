// The recording in one strip: program, wall time, where the threads' time went, counts, warnings.
import { count, digits, many, percent, time } from "../data/format";
import { baseName } from "../data/model";
import type { Meta, StateTimes } from "../data/page";
import type { Store } from "../state/store";
import { kStates } from "./states";

// `whole`: what the bar's full width stands for, where two are compared.
export function TimeBar({ times, whole, name }: { times: StateTimes; whole?: number; name?: string }) {
  const all = kStates.reduce((sum, s) => sum + (times[s.name] ?? 0), 0);
  const present = kStates.filter((s) => (times[s.name] ?? 0) > 0);
  if (all <= 0) return null;
  return (
    <div class="timebar" title="Where the threads' time went: all threads' time inside the program, by state">
      {name && <b class="whose">{name}</b>}
      <div class="bar" style={whole ? { width: `${(100 * all) / whole}%` } : undefined}>
        {present.map((s) => (
          <span
            key={s.name}
            class={`state-${s.name}`}
            style={{ flexGrow: times[s.name] / all }}
            title={`${s.label}: ${time(times[s.name])}, ${percent(times[s.name], all)}. ${s.why}`}
          />
        ))}
      </div>
      <div class="states">
        {present.map((s) => (
          <span key={s.name} title={`${time(times[s.name])}. ${s.why}`}>
            <i class={`state-${s.name}`} />
            {s.label} <b>{percent(times[s.name], all)}</b>
          </span>
        ))}
      </div>
    </div>
  );
}

export const total = (times: StateTimes) => Object.values(times).reduce((a, b) => a + b, 0);

// This recording and the baseline, thread time to one scale.
function Beside({ store }: { store: Store }) {
  const { meta } = store.model;
  const before = meta.baseline!;
  const whole = Math.max(1, total(meta.thread_time), total(before.thread_time));
  return (
    <div class="beside" id="baseline">
      <TimeBar
        times={meta.thread_time}
        whole={whole}
        name={`this: ${time(meta.wall_ns)} on ${many(meta.threads.length, "thread")}`}
      />
      <TimeBar
        times={before.thread_time}
        whole={whole}
        name={`${baseName(before.file)}: ${time(before.wall_ns)} on ${many(before.threads, "thread")}`}
      />
      <p
        class="faint"
        title="Grains are matched by names that do not depend on the schedule. Ratios of single grains are given where 95 % of the work is matched."
      >
        {percent(before.matched, 1)} of the work is in grains that both have
        {before.per_grain ? "" : ": too little to compare grain by grain"}
        {before.times_valid ? "" : "; the other recording's times are not valid"}
      </p>
    </div>
  );
}

function Figure({ name, value, why }: { name: string; value: string; why: string }) {
  return (
    <div class="figure" title={why}>
      <b>{value}</b>
      <span>{name}</span>
    </div>
  );
}

function Paths({ meta }: { meta: Meta }) {
  return (
    <>
      <Figure
        name="critical path"
        value={time(meta.critical_path_ns)}
        why={`The longest chain of grains that must run one after the other: no number of threads makes the program faster than this. With the runtime's overhead on it: ${time(meta.burdened_path_ns)}.`}
      />
      <Figure
        name="parallelism"
        value={digits(meta.parallelism)}
        why="All work divided by the critical path: how many threads the program could keep busy at most, on average."
      />
    </>
  );
}

// By numbers of tasks, which hold where times do not.
function Structure({ meta }: { meta: Meta }) {
  const { structure } = meta;
  if (!structure) return null;
  return (
    <>
      <Figure name="levels of tasks" value={count(structure.depth)} why="How deep tasks create tasks." />
      {structure.chain > 0 && (
        <Figure
          name="tasks in a row"
          value={count(structure.chain)}
          why="The most tasks of which each has to wait for the one before: created by it, or after a wait for it, or by depend clauses."
        />
      )}
      {structure.chain > 0 && (
        <Figure
          name="tasks at a time"
          value={digits(structure.tasks / structure.chain)}
          why="All tasks divided by those in a row: how many could run at a time on average, if all were as long. Parallelism by number, as times do not hold."
        />
      )}
    </>
  );
}

export function Header({ store }: { store: Store }) {
  const { meta } = store.model;
  const { totals } = meta;
  const kinds = [
    totals.tasks > 0 ? many(totals.tasks, "task") : "",
    totals.chunks > 0 ? many(totals.chunks, "chunk") : "",
    totals.shares > 0 ? many(totals.shares, "share") : "",
    many(totals.regions, "parallel region"),
  ].filter((s) => s !== "");
  return (
    <header>
      <div class="title">
        <h1 title={meta.argv.join(" ")}>{baseName(meta.program) || "recording"}</h1>
        <p title="The command line that was recorded">{meta.argv.slice(1).join(" ")}</p>
        <p class="faint" title="Runtime, host and start of the recording, and what was recorded">
          {[meta.runtime, meta.host, meta.started, meta.level && `recorded: ${meta.level}`].filter(Boolean).join(" · ")}
        </p>
      </div>
      <div class="figures">
        <Figure
          name={meta.times_valid ? "wall time" : "wall time, not valid"}
          value={time(meta.wall_ns)}
          why="From the start of the recording to its end."
        />
        <Figure
          name="threads"
          value={count(meta.threads.length)}
          why={`Threads that took part${meta.cpus ? `; the process could use ${many(meta.cpus, "CPU")}` : ""}.`}
        />
        {meta.times_valid ? <Paths meta={meta} /> : <Structure meta={meta} />}
        <div
          class="figure counts"
          title={`A grain is one task, one chunk of a loop, or one share (what a thread does of a region between two calls of the runtime). ${kinds.join(", ")}.`}
        >
          <b>{count(store.model.allGrains)}</b>
          <span>grains: {kinds.join(" · ")}</span>
        </div>
      </div>
      {meta.baseline ? <Beside store={store} /> : <TimeBar times={meta.thread_time} />}
      {meta.machine && (
        // As an image: nothing in it can run.
        <details class="machine">
          <summary title="Sockets, memory nodes, caches and cores of the machine that was decided for, and the distances between its nodes">
            machine: {meta.machine.name}
          </summary>
          <img
            alt={`Structure and distances of ${meta.machine.name}`}
            src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(meta.machine.svg)}`}
          />
        </details>
      )}
      {meta.warnings.length > 0 && (
        <ul class="warnings">
          {meta.warnings.map((w) => (
            <li key={w.text} title={w.why}>
              {w.text}
            </li>
          ))}
        </ul>
      )}
    </header>
  );
}
