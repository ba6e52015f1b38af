// How a metric is spread over the grains. A bar, or several dragged over, selects its grains in all views.
//
// Sixty rectangles of SVG by hand: each is clicked, dragged over, hovered, has a colour of its own and is read by
// tests. A library for charts would add a third to the page's script (uPlot: 23 of 70 kB, compressed), which is in
// every page that is kept or sent, and brings canvases on which all of that would have to be made again.

import { useMemo, useRef, useState } from "preact/hooks";
import { count, many, percent, time } from "../data/format";
import type { Metric } from "../data/metrics";
import { Colours, css, kMild } from "../draw/colours";
import { dispatch } from "../state/actions";
import type { Store } from "../state/store";
import { spreadOf } from "./group_panel";
import { Term } from "./term";
import { useStore } from "./use_store";

const kBars = 60;

interface Bar {
  from: number;
  to: number;
  grains: number;
  exec: number;
}

// Bars of equal width on the metric's scale; a logarithmic one has values of zero and below in its first bar.
function barsOf(store: Store, metric: Metric, within: Uint8Array | null): Bar[] {
  const { low, high } = metric.range;
  if (Number.isNaN(low)) return [];
  const log = metric.logarithmic && low > 0 && high > low * 4;
  const whole = Number.isInteger(low) && Number.isInteger(high) && !log && high - low < kBars;
  const n = high === low ? 1 : whole ? high - low + 1 : kBars;
  const scale = log ? Math.log : (v: number) => v;
  const back = log ? Math.exp : (v: number) => v;
  const a = scale(low);
  const width = whole ? 1 : (scale(high) - a) / n || 1;
  const bars: Bar[] = Array.from({ length: n }, (_, k) => ({
    from: back(a + k * width),
    to: back(a + (k + 1) * width),
    grains: 0,
    exec: 0,
  }));
  if (n > 1 || !whole) bars[n - 1].to = Infinity;
  bars[0].from = log ? -Infinity : low;
  const { values } = metric;
  const { model } = store;
  for (let g = 0; g < values.length; g++) {
    const v = values[g];
    if (Number.isNaN(v) || !model.isGrain(g) || (within && !within[g])) continue;
    const k = v <= low ? 0 : Math.max(0, Math.min(n - 1, Math.floor((scale(v) - a) / width)));
    bars[k].grains++;
    bars[k].exec += Math.max(0, model.grains.exec[g]);
  }
  return bars;
}

export function Histogram({ store }: { store: Store }) {
  useStore(store);
  const { byTime } = store;
  const [drag, setDrag] = useState<[number, number] | null>(null);
  const box = useRef<SVGSVGElement>(null);
  const metric = store.histogram;
  const within = store.found && !store.range ? store.found.grains : null;
  const bars = useMemo(() => (metric ? barsOf(store, metric, within) : []), [metric, within]);
  const others = useMemo(() => {
    // of two recordings: both to one scale
    const other = store.peer?.store;
    return metric?.beside && other
      ? barsOf(other, metric.beside, other.found && !other.range ? other.found.grains : null)
      : [];
  }, [metric, within]);
  const spread = useMemo(() => {
    const all: number[] = [];
    for (let g = 0; g < store.model.grains.count; g++)
      if (store.model.isGrain(g) && (!within || within[g])) all.push(g);
    return metric && spreadOf(metric, all);
  }, [metric, metric?.threshold, within]);
  if (!metric || bars.length === 0)
    return (
      <div class="sheet">
        <p>No grain was recorded: there is nothing to count.</p>
      </div>
    );
  const height = (b: Bar) => (byTime ? b.exec : b.grains);
  const most = Math.max(1, ...bars.map(height), ...others.map(height));
  const ramp = Colours.ramp(metric);
  const colour = (b: Bar) => {
    const middle =
      Number.isFinite(b.from) && Number.isFinite(b.to) ? (b.from + b.to) / 2 : Number.isFinite(b.from) ? b.from : b.to;
    if (metric.bad && !metric.isProblem(middle)) return "var(--faintbar)";
    const at = metric.severity(middle) * (ramp.length - 1);
    return css(metric.bad || ramp.length ? ramp[Math.round(at)] : kMild);
  };
  const pick = (a: number, b: number) =>
    dispatch(store, {
      type: "range",
      metric: metric.key,
      from: bars[Math.min(a, b)].from,
      to: bars[Math.max(a, b)].to,
    });
  const barAt = (e: PointerEvent) => {
    const r = box.current!.getBoundingClientRect();
    return Math.max(0, Math.min(bars.length - 1, Math.floor(((e.clientX - r.left) / r.width) * bars.length)));
  };
  const chosen = (b: Bar) =>
    store.range !== null && store.range.metric === metric && b.from >= store.range.from && b.to <= store.range.to;
  const label = (b: Bar) =>
    `${Number.isFinite(b.from) ? metric.format(b.from) : "up to"} ${Number.isFinite(b.to) ? `to ${metric.format(b.to)}` : "and more"}`;
  const limit = metric.bad ? bars.findIndex((b) => metric.threshold < b.to) : -1;
  return (
    <div class="sheet histogram" id="histogram">
      <p class="choices">
        <label>
          how{" "}
          <select
            id="metric"
            value={metric.key}
            onChange={(e) => {
              dispatch(store, { type: "histogram", metric: e.currentTarget.value });
              e.currentTarget.blur();
            }}
          >
            {store.metrics.map((m) => (
              <option key={m.key} value={m.key}>
                {m.name}
              </option>
            ))}
          </select>
        </label>{" "}
        is spread over the{" "}
        <select
          value={byTime ? "time" : "grains"}
          onChange={(e) => {
            dispatch(store, { type: "histogram", metric: metric.key, byTime: e.currentTarget.value === "time" });
            e.currentTarget.blur();
          }}
        >
          <option value="grains">number of grains</option>
          <option value="time">execution time of the grains</option>
        </select>
        {within && <span class="faint"> (only what is highlighted)</span>}
      </p>
      <p class="definition">
        <b>
          <Term metric={metric} />
        </b>
        : {metric.description.definition}
        {metric.bad && (
          <>
            {" "}
            A problem {metric.limit}
            {metric.description.reason ? (
              <span class="faint">: {metric.description.reason.replace(/^./, (c) => c.toLowerCase())}</span>
            ) : null}
            .
          </>
        )}
      </p>
      <div class="plot">
        <span class="most">{byTime ? time(most) : count(most)}</span>
        <svg
          ref={box}
          viewBox={`0 0 ${bars.length * 10} 100`}
          preserveAspectRatio="none"
          onPointerDown={(e) => {
            setDrag([barAt(e), barAt(e)]);
            e.currentTarget.setPointerCapture(e.pointerId);
          }}
          onPointerMove={(e) => {
            if (drag) setDrag([drag[0], barAt(e)]);
          }}
          onPointerUp={(e) => {
            if (drag) pick(drag[0], barAt(e));
            setDrag(null);
          }}
        >
          {bars.map((b, k) => {
            const on = chosen(b) || (drag !== null && k >= Math.min(...drag) && k <= Math.max(...drag));
            const h = height(b) > 0 ? Math.max(0.8, (98 * height(b)) / most) : 0;
            return (
              <g key={k} data-bar={k} data-grains={b.grains} class={on ? "on" : ""}>
                <title>{`${label(b)}: ${many(b.grains, "grain")}, ${time(b.exec)} of execution`}</title>
                <rect class="catch" x={k * 10} y={0} width={10} height={100} />
                <rect x={k * 10 + 0.5} y={100 - h} width={9} height={h} fill={colour(b)} />
              </g>
            );
          })}
          {limit >= 0 && (
            <line class="limit" x1={limit * 10 + 5} x2={limit * 10 + 5} y1={0} y2={100}>
              <title>the threshold</title>
            </line>
          )}
        </svg>
        <div class="scale">
          {[0, 0.25, 0.5, 0.75].map((s) => {
            const b = bars[Math.floor(s * bars.length)];
            return <span key={s}>{metric.format(Number.isFinite(b.from) ? b.from : metric.range.low)}</span>;
          })}
          <span>{metric.format(metric.range.high)}</span>
        </div>
      </div>
      {spread && (
        <p class="summary">
          {count(spread.count)} grains · least <b>{metric.format(spread.low)}</b> · median{" "}
          <b>{metric.format(spread.median)}</b> · most <b>{metric.format(spread.high)}</b>
          {metric.unit === "ns" && (
            <>
              {" "}
              · together <b>{metric.format(spread.sum)}</b>
            </>
          )}
          {metric.bad && (
            <>
              {" "}
              · <b class={spread.problems > 0 ? "bad" : ""}>{percent(spread.problems, spread.count)}</b> {metric.limit}
            </>
          )}
        </p>
      )}
      <p class="faint">Click a bar, or drag over several: their grains are highlighted in every view.</p>
    </div>
  );
}
