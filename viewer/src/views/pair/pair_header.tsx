// What is compared: both recordings with their times by state to one scale, how much of them matches, and what to
// beware of.
import { count, digits, many, percent, time } from "../../data/format";
import { baseName } from "../../data/model";
import type { Pair } from "../../state/pair/pair";
import { kSides, SideName } from "../../state/pair/sides";
import { TimeBar, total } from "../header";

const kSaid = /^times are not valid|^incomplete|not described$|below others$|^Predicted/; // by the remarks on the comparison

function Only({ pair, side }: { pair: Pair; side: SideName }) {
  const { grains, exec } = pair.meta[`only_${side}`];
  if (grains === 0) return null;
  return (
    <>
      {" "}
      ·{" "}
      <button class="link" id={`only-${side}`} title="Show them" onClick={() => pair.showOnly(side)}>
        {many(grains, "grain")} only {side}
      </button>
      {pair.meta.times && <span class="faint"> ({time(exec)})</span>}
    </>
  );
}

function Row({ pair, side, whole }: { pair: Pair; side: SideName; whole: number }) {
  const { meta } = pair.stores[side].model;
  const { totals } = meta;
  const of = pair.meta[side];
  return (
    <tr id={`side-${side}`}>
      <th title={meta.argv.join(" ")}>{side}</th>
      <td
        class="recording"
        title={`${of.file}\n${[meta.runtime, meta.host, meta.started].filter(Boolean).join(" · ")}`}
      >
        {baseName(of.file)}
        {of.predicted && (
          <span class="flag" title={`Predicted by einkorn simulate, not recorded: ${of.predicted}`}>
            predicted
          </span>
        )}
      </td>
      <td class="number" title="Threads that took part">
        {many(meta.threads.length, "thread")}
      </td>
      <td class="number" title="Wall time">
        <b>{meta.times_valid ? time(meta.wall_ns) : "not valid"}</b>
      </td>
      <td class="number" title="The longest chain of grains that must run one after the other">
        {meta.times_valid ? `critical path ${time(meta.critical_path_ns)}` : ""}
      </td>
      <td class="number" title="All work divided by the critical path">
        {meta.times_valid ? `parallelism ${digits(meta.parallelism)}` : ""}
      </td>
      <td
        class="number"
        title={`${many(totals.tasks, "task")}, ${many(totals.chunks, "chunk")}, ${many(totals.shares, "share")}`}
      >
        {many(totals.tasks + totals.chunks + totals.shares, "grain")}
      </td>
      <td class="bars">
        <TimeBar times={meta.thread_time} whole={whole} />
      </td>
    </tr>
  );
}

export function PairHeader({ pair }: { pair: Pair }) {
  const [before, after] = kSides.map((s) => pair.stores[s].model.meta);
  const { meta } = pair;
  const whole = Math.max(1, total(before.thread_time), total(after.thread_time));
  const speedup = before.wall_ns / Math.max(1, after.wall_ns);
  const same = before.argv.join("\0") === after.argv.join("\0");
  const work = (times: Record<string, number>) => (times.work ?? 0) + (times.serial ?? 0);
  const inflation = work(after.thread_time) - work(before.thread_time);
  const warnings = kSides.flatMap((side) =>
    pair.stores[side].model.meta.warnings
      .filter((w) => !kSaid.test(w.text))
      .map((w) => ({ ...w, text: `${side}: ${w.text}` })),
  );
  return (
    <header>
      <div class="title">
        <h1 title={after.argv.join(" ")}>
          {[...new Set([before, after].map((m) => baseName(m.program) || "recording"))].join(", ")}
        </h1>
        {(same ? [after] : [before, after]).map((m, i) => (
          <p key={i} class="faint" title={m.argv.join(" ")}>
            {m.argv.slice(1).join(" ")}
          </p>
        ))}
      </div>
      <div class="versus" id="versus">
        <table>
          <tbody>
            {kSides.map((side) => (
              <Row key={side} pair={pair} side={side} whole={whole} />
            ))}
          </tbody>
        </table>
        <p>
          {meta.times && (
            <b id="speedup" title="Wall time before over wall time after">
              {speedup >= 1 ? `${digits(speedup)} times as fast` : `${digits(1 / speedup)} times as long`}
            </b>
          )}
          {meta.times && (
            <span title="Work and serial time, after less before: what the same program computed longer, on all threads together">
              inflation {inflation < 0 ? "−" : "+"}
              {time(Math.abs(inflation))}
              {work(before.thread_time) > 0 &&
                ` (${inflation < 0 ? "−" : "+"}${percent(Math.abs(inflation), work(before.thread_time))})`}
            </span>
          )}
          <span
            id="matched"
            title="Grains are matched by names that do not depend on the schedule. What single grains took is compared where 95 % of the work is matched."
          >
            {count(meta.matched)} grains are in both{meta.times && `, with ${percent(meta.share, 1)} of the work`}
            <Only pair={pair} side="before" />
            <Only pair={pair} side="after" />
            {meta.times && !meta.per_grain && <b> · less than 95 %: lines are compared, not single grains</b>}
          </span>
        </p>
      </div>
      {(meta.remarks.length > 0 || warnings.length > 0) && (
        <ul class="warnings">
          {meta.remarks.map((r) => (
            <li key={r}>{r}</li>
          ))}
          {warnings.map((w) => (
            <li key={w.text} title={w.why}>
              {w.text}
            </li>
          ))}
        </ul>
      )}
    </header>
  );
}
