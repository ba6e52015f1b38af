// The recording in one strip: program, wall time, where the threads' time went, counts, warnings.
import { count, digits, many, percent, time } from "../format";
import { baseName } from "../model";
import type { StateTimes } from "../page";
import type { Store } from "../store";

const kStates: { name: string; label: string; why: string }[] = [
  { name: "work", label: "work", why: "User code: tasks, chunks and shares, critical sections included." },
  { name: "overhead", label: "overhead", why: "Runtime code: creating, queueing, fetching and joining tasks and chunks." },
  { name: "idle", label: "idle", why: "Looking for work and finding none." },
  { name: "blocked", label: "blocked", why: "Waiting for a critical section, a lock or an ordered section." },
  { name: "serial", label: "serial", why: "Outside of all parallel regions." },
  { name: "offcpu", label: "off CPU", why: "The operating system ran something else on the CPU." },
  { name: "recorder", label: "recorder", why: "The recording itself." },
  { name: "unattributed", label: "unattributed", why: "Could not be attributed to any state." },
];

function TimeBar({ times }: { times: StateTimes }) {
  const all = kStates.reduce((sum, s) => sum + (times[s.name] ?? 0), 0);
  const present = kStates.filter((s) => (times[s.name] ?? 0) > 0);
  if (all <= 0) return null;
  return (
    <div class="timebar" title="Where the threads' time went: all threads' time inside the program, by state">
      <div class="bar">
        {present.map((s) => (
          <span key={s.name} class={`state-${s.name}`} style={{ flexGrow: times[s.name] / all }}
                title={`${s.label}: ${time(times[s.name])}, ${percent(times[s.name], all)}. ${s.why}`} />
        ))}
      </div>
      <div class="states">
        {present.map((s) => (
          <span key={s.name} title={`${time(times[s.name])}. ${s.why}`}>
            <i class={`state-${s.name}`} />{s.label} <b>{percent(times[s.name], all)}</b>
          </span>
        ))}
      </div>
    </div>
  );
}

function Figure({ name, value, why }: { name: string; value: string; why: string }) {
  return <div class="figure" title={why}><b>{value}</b><span>{name}</span></div>;
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
        <p class="faint" title="Runtime, host and start of the recording">{[meta.runtime, meta.host, meta.started].filter(Boolean).join(" · ")}</p>
      </div>
      <div class="figures">
        <Figure name="wall time" value={time(meta.wall_ns)} why="From the start of the recording to its end." />
        <Figure name="threads" value={count(meta.threads.length)} why={`Threads that took part${meta.cpus ? `; the process could use ${many(meta.cpus, "CPU")}` : ""}.`} />
        <Figure name="critical path" value={time(meta.critical_path_ns)}
                why={`The longest chain of grains that must run one after the other: no number of threads makes the program faster than this. With the runtime's overhead on it: ${time(meta.burdened_path_ns)}.`} />
        <Figure name="parallelism" value={digits(meta.parallelism)}
                why="All work divided by the critical path: how many threads the program could keep busy at most, on average." />
        <div class="figure counts" title={`A grain is one task, one chunk of a loop, or one share (what a thread does of a region between two calls of the runtime). ${kinds.join(", ")}.`}>
          <b>{count(totals.tasks + totals.chunks + totals.shares)}</b><span>grains: {kinds.join(" · ")}</span>
        </div>
      </div>
      <TimeBar times={meta.thread_time} />
      {meta.machine && (
        // As an image: nothing in it can run.
        <details class="machine">
          <summary title="Sockets, memory nodes, caches and cores of the machine that was decided for, and the distances between its nodes">
            machine: {meta.machine.name}
          </summary>
          <img alt={`Structure and distances of ${meta.machine.name}`} src={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(meta.machine.svg)}`} />
        </details>
      )}
      {meta.warnings.length > 0 && (
        <ul class="warnings">{meta.warnings.map((w) => <li key={w.text} title={w.why}>{w.text}</li>)}</ul>
      )}
    </header>
  );
}
