// Source lines with what their grains cost, and beside them the text: which line of the program is to blame.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { css } from "../colours";
import { count, percent, shortened, time } from "../format";
import { explain, formatMetric, Metric } from "../metrics";
import { baseName, kNone } from "../model";
import type { Store } from "../store";
import { useStore } from "./app";
import { sourcesByTime } from "./source_table";
import { NoteOf } from "./source_text";

// Per source and metric: the part of its grains that are problems. One pass over the grains for each metric.
function problemParts(store: Store, metrics: Metric[]): Float64Array[] {
  const { grains, sources } = store.model;
  return metrics.map((m) => {
    const known = new Float64Array(sources.length);
    const bad = new Float64Array(sources.length);
    const { values } = m;
    for (let g = 0; g < grains.count; g++) {
      const s = grains.source[g];
      const v = values[g];
      if (s === kNone || !(v === v) || !store.model.isGrain(g)) continue;
      known[s]++;
      if (m.isProblem(v)) bad[s]++;
    }
    return bad.map((b, s) => (known[s] > 0 ? b / known[s] : NaN));
  });
}

type Order = "time" | "grains" | "mean" | "creation" | number;

export function SourceView({ store }: { store: Store }) {
  useStore(store);
  const { model } = store;
  const [order, setOrder] = useState<Order>("time");
  const [chosen, setChosen] = useState<number>(() => model.meta.problems.find((p) => p.source !== undefined)?.source ?? sourcesByTime(model)[0] ?? kNone);
  const metrics = useMemo(() => store.metrics.filter((m) => m.bad && m.stats.problems > 0), [store]);
  const thresholds = metrics.map((m) => m.threshold).join();
  const parts = useMemo(() => problemParts(store, metrics), [store, thresholds]);
  const ofSources = (model.meta.metrics ?? []).filter((m) => m.level === "source" && m.values?.some((v) => v !== null));
  const before = model.meta.baseline && new Map(model.meta.baseline.lines.map((l) => [l.source, l.exec]));
  const source = store.source !== kNone ? store.source : chosen;
  const total = model.sources.reduce((sum, s) => sum + s.exec, 0);
  const value = (i: number): number => {
    const s = model.sources[i];
    if (typeof order === "number") return parts[order][i] >= 0 ? parts[order][i] : -1;
    return order === "time" ? s.exec : order === "grains" ? s.grains : order === "mean" ? s.exec / s.grains : s.created;
  };
  const rows = sourcesByTime(model).sort((a, b) => value(b) - value(a));
  const head = (name: string, why: string, key: Order) => (
    <th class={`number ${order === key ? "on" : ""}`} title={`${why}\nClick: order by it`}><button class="link" onClick={() => setOrder(key)}>{name}</button></th>
  );
  return (
    <div class="sheet split" id="sources">
      <div class="lines">
        <table>
          <thead>
            <tr>
              <th>source line</th>
              {head("grains", "Tasks, chunks and shares that this line made", "grains")}
              {head("time", "Execution time of all its grains together", "time")}
              <th class="number">share</th>
              {before && <th class="number" title={`Execution time of this line's grains in ${model.meta.baseline!.file}`}>before</th>}
              {before && <th class="number" title="This recording's execution time over the other's">change</th>}
              {head("mean", "Mean execution time of a grain", "mean")}
              {head("creation", "What creating its grains cost, together", "creation")}
              {metrics.map((m, k) => <th key={m.key} class={`number ${order === k ? "on" : ""}`} title={`Part of its grains that are a problem ${m.limit}\n${explain(m.description)}`}><button class="link term" data-metric={m.key} onClick={() => setOrder(k)}>{m.name} {m.limit}</button></th>)}
              {ofSources.map((m) => <th key={m.key} class="number" title={explain(m)}><span class="term">{m.name}</span></th>)}
            </tr>
          </thead>
          <tbody>
            {rows.map((i) => {
              const s = model.sources[i];
              return (
                <tr key={i} class={source === i ? "on" : ""} data-line={i} title={model.fullPlaceOf(i)} onClick={() => { setChosen(i); store.highlightSource(i); }}>
                  <td><b><i style={{ background: css(store.colours.ofSource(i)) }} />{model.placeOf(i)}</b> <span class="faint">{model.whatOf(i)}</span></td>
                  <td class="number">{count(s.grains)}</td>
                  <td class="number">{time(s.exec)}</td>
                  <td class="number share"><u style={{ width: `${(100 * s.exec) / Math.max(1, total)}%` }} />{percent(s.exec, total)}</td>
                  {before && <td class="number">{before.has(i) ? time(before.get(i)!) : ""}</td>}
                  {before && <td class={`number ${s.exec > 1.2 * (before.get(i) ?? Infinity) ? "bad" : ""}`}>{(before.get(i) ?? 0) > 0 ? `× ${(s.exec / before.get(i)!).toFixed(2)}` : ""}</td>}
                  <td class="number">{time(s.exec / s.grains)}</td>
                  <td class="number">{s.created > 0 ? time(s.created) : ""}</td>
                  {parts.map((p, k) => <td key={k} class={`number ${p[i] > 0 ? "bad" : ""}`}>{p[i] >= 0 ? percent(p[i], 1) : ""}</td>)}
                  {ofSources.map((m) => { const v = m.values![i]; return <td key={m.key} class={`number ${v !== null && isBad(m, v) ? "bad" : ""}`}>{v === null ? "" : formatMetric(v, m.unit)}</td>; })}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <FileView store={store} source={source} />
    </div>
  );
}

function isBad(m: { bad?: string; threshold?: number }, v: number): boolean {
  return m.bad === "above" ? v > m.threshold! : m.bad === "below" && v < m.threshold!;
}

// A file's pieces; lines that make grains carry their time, and can be clicked.
export function FileView({ store, source }: { store: Store; source: number }) {
  const { model } = store;
  const cited = useRef<HTMLDivElement>(null);
  useEffect(() => { cited.current?.scrollIntoView({ block: "center" }); }, [source]);
  const s = source === kNone ? null : model.sources[source];
  const file = s?.text === undefined ? null : model.meta.files?.[s.text];
  const total = model.sources.reduce((sum, x) => sum + x.exec, 0);
  const at = new Map<number, number[]>();
  model.sources.forEach((x, i) => {
    if (x.text === s?.text && x.grains > 0) at.set(x.line, [...(at.get(x.line) ?? []), i]);
  });
  return (
    <div class="file">
      {s && <h2 title={model.fullPlaceOf(source)}>{baseName(s.file) || s.module}{s.function && <span class="faint">{shortened(s.function)}</span>}</h2>}
      <NoteOf store={store} source={source} />
      {file && (
        <div class="code">
          {file.pieces.map((piece, k) => (
            <>
              {k > 0 && <div class="skipped">…</div>}
              {piece.lines.map((text, n) => {
                const number = piece.first + n;
                const here = at.get(number) ?? [];
                const exec = here.reduce((sum, i) => sum + model.sources[i].exec, 0);
                const mine = number === s!.line;
                return (
                  <div key={number} ref={mine ? cited : undefined} class={`${mine ? "cited" : ""} ${here.length ? "makes" : ""}`} data-number={number}
                       onClick={() => { if (here.length) store.highlightSource(here[0]); }}
                       title={here.length ? `${here.map((i) => `${count(model.sources[i].grains)} ${model.sources[i].construct} grains`).join(", ")}, ${time(exec)}` : undefined}>
                    <em>{exec > 0 ? percent(exec, total) : ""}<u style={{ width: `${(100 * exec) / Math.max(1, total)}%` }} /></em><span>{number}</span>{text || " "}
                  </div>
                );
              })}
            </>
          ))}
        </div>
      )}
    </div>
  );
}
