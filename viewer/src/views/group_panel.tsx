// What the grains in one box have in common, and how they are spread: for boxes that stand for several.

import { useMemo } from "preact/hooks";
import { many, percent, time } from "../data/format";
import type { Metric } from "../data/metrics";
import { GrainKind, kGrainKindNames, kNone, Model } from "../data/model";
import { grainsOfNode } from "../data/scene";
import { css } from "../draw/colours";
import { dispatch } from "../state/actions";
import type { Store } from "../state/store";
import { theme } from "../state/theme";
import { Link } from "./grain_link";
import { SourceLines } from "./source_text";
import { Term } from "./term";

interface Spread {
  count: number;
  low: number;
  median: number;
  high: number;
  sum: number;
  problems: number;
}

export function spreadOf(metric: Metric, grains: ArrayLike<number>): Spread | null {
  const { values } = metric;
  const known: number[] = [];
  let sum = 0;
  let problems = 0;
  for (let i = 0; i < grains.length; i++) {
    const v = values[grains[i]];
    if (Number.isNaN(v)) continue;
    known.push(v);
    sum += v;
    if (metric.isProblem(v)) problems++;
  }
  if (known.length === 0) return null;
  const sorted = Float64Array.from(known).sort();
  return {
    count: known.length,
    low: sorted[0],
    median: sorted[sorted.length >> 1],
    high: sorted[sorted.length - 1],
    sum,
    problems,
  };
}

function titleOfGroup(store: Store, node: number, first: number): string {
  const { model, scene } = store;
  const source = scene.nodes.source[node];
  const kind = kGrainKindNames[model.grains.kind[first]];
  if (scene.form === "depths" && model.grains.kind[first] === GrainKind.task)
    return `${kind}s at ${model.placeOf(source)}, depth ${model.grains.depth[first]}`;
  return source === kNone ? `${kind}s` : `${kind}s at ${model.placeOf(source)}`;
}

function longest(model: Model, grains: ArrayLike<number>): number {
  let best = grains[0];
  for (let i = 0; i < grains.length; i++) if (model.grains.exec[grains[i]] > model.grains.exec[best]) best = grains[i];
  return best;
}

export function GroupPanel({ store }: { store: Store }) {
  const { model, scene, selectedNode: node } = store;
  const grains = useMemo(() => {
    const all = Array.from(grainsOfNode(scene, node));
    const counted = all.filter((g) => model.isGrain(g));
    return counted.length > 0 ? counted : all;
  }, [scene, node]);
  const spreads = useMemo(
    () => store.metrics.map((m) => spreadOf(m, grains)),
    [grains, store.metrics.map((m) => m.threshold).join()],
  );
  const source = scene.nodes.source[node];
  const exec = scene.nodes.weight[node];
  return (
    <section class="grain" id="grain">
      <h2>
        <i style={{ background: css(store.colours.ofNode(scene, node, store.colouring, theme().background)) }} />
        {titleOfGroup(store, node, grains[0])}
        <button
          class="close"
          title="Close (Escape)"
          aria-label="Close"
          onClick={() => dispatch(store, { type: "select node", node: -1 })}
        >
          ×
        </button>
      </h2>
      {source !== kNone && <SourceLines store={store} source={source} around={3} />}
      <p class="sum">
        <b>{many(grains.length, "grain")}</b>, <b>{time(exec)}</b> of execution together,{" "}
        {percent(exec, model.meta.exec)} of the work
      </p>
      <table class="spread">
        <thead>
          <tr>
            <th>of its grains</th>
            <th class="number">least</th>
            <th class="number">median</th>
            <th class="number">most</th>
            <th class="number" title="Part of them beyond the threshold">
              problems
            </th>
          </tr>
        </thead>
        <tbody>
          {store.metrics.map((m, k) => {
            const s = spreads[k];
            return (
              s && (
                <tr key={m.key}>
                  <td>
                    <Term metric={m} />
                  </td>
                  <td class="number">{m.format(s.low)}</td>
                  <td class="number">{m.format(s.median)}</td>
                  <td class="number">{m.format(s.high)}</td>
                  <td class={`number ${s.problems > 0 ? "bad" : ""}`}>{m.bad ? percent(s.problems, s.count) : ""}</td>
                </tr>
              )
            );
          })}
        </tbody>
      </table>
      <p>
        the longest: <Link store={store} grain={longest(model, grains)} />
      </p>
    </section>
  );
}
