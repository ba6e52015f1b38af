// What the colours mean. A source in it can be clicked, as in the table.
import { css } from "../colours";
import { time } from "../format";
import type { Store } from "../store";
import { useStore } from "./app";

export function LegendBar({ store }: { store: Store }) {
  useStore(store);
  const legend = store.colours.legend(store.mode);
  return (
    <div class="legend">
      {legend.ramp && (
        <span class="ramp" title="Execution time of the grain, on a logarithmic scale">
          {legend.ramp.from}
          <i style={{ background: `linear-gradient(to right, ${legend.ramp.colours.map(css).join(",")})` }} />
          {legend.ramp.to}
        </span>
      )}
      {legend.entries.map((e) => e.source === undefined
        ? <span key={e.label} title={e.hover}><i style={{ background: css(e.colour) }} class={e.label === "fork" || e.label === "join" ? "round" : ""} />{e.label}</span>
        : <button key={e.label} title={`${e.hover ?? ""} (click: highlight its grains)`} class={store.source === e.source ? "on" : ""}
                  onClick={() => store.highlightSource(e.source!)}><i style={{ background: css(e.colour) }} />{e.label}</button>)}
      {store.showCritical && <span title="The longest chain of grains that must run one after the other"><i class="criticalline" />critical path</span>}
      <span class="faint" title="The height of a box is linear in its execution time up to this, and logarithmic above, so that a few long boxes do not flatten all others. Position says who created whom, not when something ran.">
        box height: linear up to {time(store.model.meta.layout.linear_up_to_ns)}
      </span>
    </div>
  );
}
