// What the colours mean. A source in it can be clicked, as in the table; a metric's threshold can be moved.

import { count, percent, time } from "../data/format";
import type { Metric } from "../data/metrics";
import { kNone } from "../data/model";
import { Colours, css, kOnly } from "../draw/colours";
import { dispatch } from "../state/actions";
import type { Store } from "../state/store";
import { Term } from "./term";
import { useStore } from "./use_store";

const kUnits: Record<string, [string, number]> = { ns: ["µs", 1000] }; // what a threshold is typed in

// "43 % of grains, 12 % of the work": what is beyond the threshold. Of metrics without one, the range of values.
function MetricLegend({ store, metric }: { store: Store; metric: Metric }) {
  const { stats } = metric;
  if (metric.change) return <ChangeLegend metric={metric} />;
  const { low, high } = metric.range;
  const counts = metric.bad ? metric.counts : stats;
  const ramp = Colours.ramp(metric).map(css).join(",");
  const [unit, factor] = kUnits[metric.unit] ?? [metric.unit, 1];
  const work = store.model.meta.exec;
  return (
    <>
      <Term metric={metric} />
      {metric.bad && (
        <label class="threshold" title="Change the threshold: Enter">
          {metric.bad}{" "}
          <input
            id="threshold"
            type="number"
            step="any"
            value={Number((metric.threshold / factor).toPrecision(4))}
            onChange={(e) =>
              dispatch(store, { type: "threshold", metric: metric.key, value: e.currentTarget.valueAsNumber * factor })
            }
          />{" "}
          {unit}
          {metric.threshold !== metric.description.threshold && (
            <button
              class="link"
              onClick={() =>
                dispatch(store, { type: "threshold", metric: metric.key, value: metric.description.threshold ?? NaN })
              }
            >
              reset
            </button>
          )}
        </label>
      )}
      <span class="ramp">
        {metric.format(metric.bad ? metric.threshold : low)}
        <i style={{ background: `linear-gradient(to right, ${ramp})` }} />
        {metric.format(metric.bad === "below" ? low : high)}
      </span>
      {metric.bad ? (
        <span id="share" title={`Of ${count(counts.present)} grains that have a value. All others are dimmed.`}>
          <b>{percent(counts.problems, counts.present)}</b>&nbsp;of grains ({count(counts.problems)}),{" "}
          {percent(counts.problemExec, work)} of the work
        </span>
      ) : (
        <span class="faint">
          of {count(stats.present)} grains, {metric.logarithmic ? "logarithmic" : "linear"}
        </span>
      )}
    </>
  );
}

function ChangeLegend({ metric }: { metric: Metric }) {
  return (
    <>
      <Term metric={metric} />
      <span class="ramp">
        half or less
        <i style={{ background: `linear-gradient(to right, ${Colours.ramp(metric).map(css).join(",")})` }} />
        twice or more
      </span>
      <span title="The other recording does not have it">
        <i style={{ background: css(kOnly) }} />
        in one recording only
      </span>
    </>
  );
}

export function LegendBar({ store }: { store: Store }) {
  useStore(store);
  const { colouring, scene, colours } = store;
  const metric = typeof colouring === "string" ? null : colouring;
  return (
    <div class="legend">
      {metric && <MetricLegend store={store} metric={metric} />}
      {typeof colouring === "string" &&
        colours.legend(colouring).map((e) =>
          e.source === undefined || e.source === kNone ? (
            <span key={e.label} title={e.hover}>
              <i style={{ background: css(e.colour) }} />
              {e.label}
            </span>
          ) : (
            <button
              key={e.label}
              title={`${e.hover ?? ""} (click: highlight its grains)`}
              class={store.source === e.source ? "on" : ""}
              onClick={() => dispatch(store, { type: "source", source: e.source! })}
            >
              <i style={{ background: css(e.colour) }} />
              {e.label}
            </button>
          ),
        )}
      {!metric?.bad &&
        colours.structure(scene).map((e) => (
          <span key={e.label} title={e.hover}>
            <i style={{ background: css(e.colour) }} class={e.round ? "round" : ""} />
            {e.label}
          </span>
        ))}
      {store.showCritical && (
        <span title="The longest chain of grains that must run one after the other">
          <i class={`criticalline ${metric?.bad || metric?.change ? "beside" : ""}`} />
          critical path
        </span>
      )}
      {scene.form === "nodes" && (
        <span
          class="faint"
          title="The height of a box is linear in its execution time up to this, and logarithmic above, so that a few long boxes do not flatten all others. Position says who created whom, not when something ran."
        >
          box height: linear up to {time(store.model.meta.layout.linear_up_to_ns)}
        </span>
      )}
    </div>
  );
}
