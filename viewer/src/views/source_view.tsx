// Source lines with what their grains cost, and beside them the text: which line of the program is to blame.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { count, percent, shortened, time } from "../data/format";
import { explain, formatMetric, type Metric } from "../data/metrics";
import { baseName, kNone, type Model } from "../data/model";
import type { MetricDescription } from "../data/page";
import { dispatch } from "../state/actions";
import type { Store } from "../state/store";
import { inOrder, type LineColumn, LineName, LineTable, Part } from "./line_table";
import { sourcesByTime } from "./source_table";
import { NoteOf } from "./source_text";
import { useStore } from "./use_store";

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
      if (s === kNone || Number.isNaN(v) || !store.model.isGrain(g)) continue;
      known[s]++;
      if (m.isProblem(v)) bad[s]++;
    }
    return bad.map((b, s) => (known[s] > 0 ? b / known[s] : NaN));
  });
}

export function SourceView({ store }: { store: Store }) {
  useStore(store);
  const { model } = store;
  const { sources, meta } = model;
  const [order, setOrder] = useState("time");
  const [chosen, setChosen] = useState<number>(
    () => meta.problems.find((p) => p.source !== undefined)?.source ?? sourcesByTime(model)[0] ?? kNone,
  );
  const metrics = useMemo(() => store.metrics.filter((m) => m.bad && m.stats.problems > 0), [store]);
  const thresholds = metrics.map((m) => m.threshold).join();
  const parts = useMemo(() => problemParts(store, metrics), [store, thresholds]);
  const source = store.source !== kNone ? store.source : chosen;
  const total = sources.reduce((sum, s) => sum + s.exec, 0);
  const orderable = (head: string, why: string, value: (i: number) => number, cell: (i: number) => string) => ({
    head,
    why,
    order: { by: head, value },
    cell,
  });
  const columns: LineColumn<number>[] = [
    orderable(
      "grains",
      "Tasks, chunks and shares that this line made",
      (i) => sources[i].grains,
      (i) => count(sources[i].grains),
    ),
    orderable(
      "time",
      "Execution time of all its grains together",
      (i) => sources[i].exec,
      (i) => time(sources[i].exec),
    ),
    { head: "share", look: () => "share", cell: (i) => <Part part={sources[i].exec} whole={total} /> },
    ...besideBaseline(model),
    orderable(
      "mean",
      "Mean execution time of a grain",
      (i) => sources[i].exec / sources[i].grains,
      (i) => time(sources[i].exec / sources[i].grains),
    ),
    orderable(
      "creation",
      "What creating its grains cost, together",
      (i) => sources[i].created,
      (i) => (sources[i].created > 0 ? time(sources[i].created) : ""),
    ),
    ...metrics.map((m, k) => ({
      head: `${m.name} ${m.limit}`,
      why: `Part of its grains that are a problem ${m.limit}\n${explain(m.description)}`,
      metric: m.key,
      order: { by: m.key, value: (i: number) => (parts[k][i] >= 0 ? parts[k][i] : -1) },
      look: (i: number) => (parts[k][i] > 0 ? "bad" : ""),
      cell: (i: number) => (parts[k][i] >= 0 ? percent(parts[k][i], 1) : ""),
    })),
    ...ofSources(model),
  ];
  return (
    <div class="sheet split" id="sources">
      <div class="lines">
        <LineTable
          rows={inOrder(sourcesByTime(model), columns, order)}
          what="source line"
          name={(i) => <LineName store={store} source={i} />}
          hover={(i) => model.fullPlaceOf(i)}
          columns={columns}
          mark="line"
          keyOf={(i) => i}
          isOn={(i) => source === i}
          onPick={(i) => {
            setChosen(i);
            dispatch(store, { type: "source", source: i });
          }}
          order={order}
          onOrder={setOrder}
        />
      </div>
      <FileView store={store} source={source} />
    </div>
  );
}

// Each line in the recording that this one is held against, if there is one.
function besideBaseline({ meta, sources }: Model): LineColumn<number>[] {
  const { baseline } = meta;
  if (!baseline) return [];
  const exec = new Map(baseline.lines.map((l) => [l.source, l.exec]));
  const before = (i: number) => exec.get(i) ?? 0;
  return [
    {
      head: "before",
      why: `Execution time of this line's grains in ${baseline.file}`,
      cell: (i) => (exec.has(i) ? time(before(i)) : ""),
    },
    {
      head: "change",
      why: "This recording's execution time over the other's",
      look: (i) => (exec.has(i) && sources[i].exec > 1.2 * before(i) ? "bad" : ""),
      cell: (i) => (before(i) > 0 ? `× ${(sources[i].exec / before(i)).toFixed(2)}` : ""),
    },
  ];
}

// Metrics of lines, as the tool computed them.
function ofSources({ meta }: Model): LineColumn<number>[] {
  return (meta.metrics ?? [])
    .filter((m) => m.level === "source" && m.values?.some((v) => v !== null))
    .map((m) => {
      const value = (i: number) => m.values?.[i] ?? null;
      return {
        head: <span class="term">{m.name}</span>,
        why: explain(m),
        look: (i) => (isBad(m, value(i)) ? "bad" : ""),
        cell: (i) => {
          const v = value(i);
          return v === null ? "" : formatMetric(v, m.unit);
        },
      };
    });
}

function isBad({ bad, threshold = NaN }: MetricDescription, v: number | null): boolean {
  return v !== null && (bad === "above" ? v > threshold : bad === "below" && v < threshold);
}

// A file's pieces; lines that make grains carry their time, and can be clicked.
export function FileView({ store, source }: { store: Store; source: number }) {
  const { model } = store;
  const cited = useRef<HTMLDivElement>(null);
  useEffect(() => {
    cited.current?.scrollIntoView({ block: "center" });
  }, [source]);
  const s = source === kNone ? null : model.sources[source];
  const file = s?.text === undefined ? null : model.meta.files?.[s.text];
  const total = model.sources.reduce((sum, x) => sum + x.exec, 0);
  const at = new Map<number, number[]>();
  model.sources.forEach((x, i) => {
    if (x.text === s?.text && x.grains > 0) at.set(x.line, [...(at.get(x.line) ?? []), i]);
  });
  return (
    <div class="file">
      {s && (
        <h2 title={model.fullPlaceOf(source)}>
          {baseName(s.file) || s.module}
          {s.function && <span class="faint">{shortened(s.function)}</span>}
        </h2>
      )}
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
                  <div
                    key={number}
                    ref={mine ? cited : undefined}
                    class={`${mine ? "cited" : ""} ${here.length ? "makes" : ""}`}
                    data-number={number}
                    onClick={() => {
                      if (here.length) dispatch(store, { type: "source", source: here[0] });
                    }}
                    title={
                      here.length
                        ? `${here.map((i) => `${count(model.sources[i].grains)} ${model.sources[i].construct} grains`).join(", ")}, ${time(exec)}`
                        : undefined
                    }
                  >
                    <em>
                      {exec > 0 ? percent(exec, total) : ""}
                      <u style={{ width: `${(100 * exec) / Math.max(1, total)}%` }} />
                    </em>
                    <span>{number}</span>
                    {text || " "}
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
