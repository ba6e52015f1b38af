// Source lines with before, after and change: a short table beside the pictures, a full one as the view of sources.
import { useState } from "preact/hooks";
import { css } from "../colours";
import { count, digits, time } from "../format";
import { kNone } from "../model";
import type { LineChange } from "../page";
import { FileView } from "../ui/source_view";
import type { Pair } from "./pair";
import { changeClass, changeOf } from "./pair_grain";

const kFirstRows = 30;
const signed = (ns: number) => (ns === 0 ? "0" : `${ns < 0 ? "−" : "+"}${time(Math.abs(ns))}`);

function highlight(pair: Pair, line: LineChange): void {
  const { before, after } = pair.stores;
  if (line.after_source !== undefined) after.highlightSource(line.after_source);
  else if (line.before_source !== undefined) before.highlightSource(line.before_source);
}

function isOn(pair: Pair, line: LineChange): boolean {
  const { before, after } = pair.stores;
  return line.after_source !== undefined ? after.source === line.after_source : line.before_source !== undefined && before.source === line.before_source;
}

function Name({ pair, line }: { pair: Pair; line: LineChange }) {
  const { before, after } = pair.stores;
  const store = line.after_source !== undefined ? after : before;
  const source = line.after_source ?? line.before_source ?? kNone;
  const s = source === kNone ? null : store.model.sources[source];
  return (
    <td title={s ? `${store.model.fullPlaceOf(source)}\nClick: highlight its grains in both` : ""}>
      <b><i style={{ background: css(store.colours.ofSource(source)) }} />{store.model.placeOf(source)}</b>
      <span class="faint"> {s ? store.model.whatOf(source) || line.kind : line.kind}</span>
      {(line.before.grains === 0 || line.after.grains === 0) && <span class="flag">only {line.before.grains > 0 ? "before" : "after"}</span>}
    </td>
  );
}

export function PairLines({ pair }: { pair: Pair }) {
  const [all, setAll] = useState(false);
  const { lines, times } = pair.meta;
  if (lines.length === 0) return null;
  const rows = all ? lines : lines.slice(0, kFirstRows);
  return (
    <section class="sources" id="lines">
      <h2 title="Every place in the program that makes grains; the largest change of execution time first">{times ? "Source lines, the largest change first" : "Source lines"}</h2>
      <table>
        <thead><tr><th>line</th>{times
          ? <><th class="number" title="Execution time of all its grains in the first recording">before</th><th class="number" title="In the second">after</th><th class="number" title="After over before">change</th></>
          : <><th class="number" title="Grains in the first recording">grains</th><th class="number">after</th></>}</tr></thead>
        <tbody>
          {rows.map((l, i) => (
            <tr key={i} class={isOn(pair, l) ? "on" : ""} data-change={i} onClick={() => highlight(pair, l)}>
              <Name pair={pair} line={l} />
              <td class="number">{!times ? count(l.before.grains) : l.before.grains > 0 ? time(l.before.exec) : ""}</td>
              <td class="number">{!times ? count(l.after.grains) : l.after.grains > 0 ? time(l.after.exec) : ""}</td>
              {times && <td class={`number ${changeClass(l.before.exec, l.after.exec)}`} title={signed(l.after.exec - l.before.exec)}>{l.after.grains > 0 ? changeOf(l.before.exec, l.after.exec) : ""}</td>}
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > rows.length && <button class="link" onClick={() => setAll(true)}>showing {kFirstRows} of {count(lines.length)}: show all</button>}
    </section>
  );
}

const kOrders: Record<string, (l: LineChange) => number> = {
  difference: (l) => Math.abs(l.after.exec - l.before.exec),
  before: (l) => l.before.exec,
  after: (l) => l.after.exec,
  change: (l) => (l.before.exec > 0 ? l.after.exec / l.before.exec : -1),
  worst: (l) => l.worst ?? -1,
};

// All lines, with the text of the chosen one beside.
export function PairSources({ pair }: { pair: Pair }) {
  const [order, setOrder] = useState("difference");
  const { meta } = pair;
  const { before, after } = pair.stores;
  const lines = [...meta.lines].sort((a, b) => kOrders[order](b) - kOrders[order](a));
  const first = lines[0];
  const inBefore = after.source === kNone && before.source !== kNone;
  const store = inBefore || first?.after_source === undefined ? before : after;
  const source = inBefore ? before.source : after.source !== kNone ? after.source : first?.after_source ?? first?.before_source ?? kNone;
  const head = (name: string, title: string, key?: string) => (
    <th class={`number ${order === key ? "on" : ""}`} title={title}>{key ? <button class="link" onClick={() => setOrder(key)}>{name}</button> : name}</th>
  );
  return (
    <div class="sheet split" id="sources">
      <div class="lines">
        <table>
          <thead><tr><th>source</th>{head("grains before", "Tasks, chunks and shares in the first recording")}{head("after", "In the second")}{head("in both", "With the same name in both")}
            {meta.times && <>{head("time before", "Execution time of all its grains in the first recording", "before")}{head("after", "In the second", "after")}
              {head("difference", "After less before", "difference")}{head("change", "After over before", "change")}</>}
            {meta.per_grain && <>{head("median grain", "Of its grains, each one's execution after over before: the median")}{head("worst grain", "The largest", "worst")}</>}</tr></thead>
          <tbody>
            {lines.map((l, i) => (
              <tr key={i} class={isOn(pair, l) ? "on" : ""} data-line={i} onClick={() => highlight(pair, l)}>
                <Name pair={pair} line={l} />
                <td class="number">{count(l.before.grains)}</td><td class="number">{count(l.after.grains)}</td><td class="number">{count(l.matched)}</td>
                {meta.times && <><td class="number">{l.before.grains > 0 ? time(l.before.exec) : ""}</td><td class="number">{l.after.grains > 0 ? time(l.after.exec) : ""}</td>
                  <td class="number">{signed(l.after.exec - l.before.exec)}</td>
                  <td class={`number ${changeClass(l.before.exec, l.after.exec)}`}>{l.after.grains > 0 ? changeOf(l.before.exec, l.after.exec) : ""}</td></>}
                {meta.per_grain && <><td class="number">{l.median === undefined ? "" : `× ${digits(l.median)}`}</td><td class="number">{l.worst === undefined ? "" : `× ${digits(l.worst)}`}</td></>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <FileView store={store} source={source} />
    </div>
  );
}
