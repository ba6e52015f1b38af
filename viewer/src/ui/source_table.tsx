// Sources by total time: where in the program the work is.
import { useState } from "preact/hooks";
import { css } from "../colours";
import { count, percent, time } from "../format";
import type { Model } from "../model";
import type { Store } from "../store";
import { useStore } from "./app";

const kFirstRows = 40;

export function sourcesByTime(model: Model): number[] {
  return model.sources.map((_, i) => i).filter((i) => model.sources[i].grains > 0).sort((a, b) => model.sources[b].exec - model.sources[a].exec);
}

export function SourceTable({ store }: { store: Store }) {
  useStore(store);
  const [all, setAll] = useState(false);
  const { model } = store;
  const order = sourcesByTime(model);
  const total = model.sources.reduce((sum, s) => sum + s.exec, 0);
  const rows = all ? order : order.slice(0, kFirstRows);
  return (
    <section class="sources">
      <h2 title="Every place in the program that makes grains, by the execution time of all its grains">Sources by total time</h2>
      <table>
        <thead>
          <tr>
            <th>source</th>
            <th class="number" title="Tasks, chunks and shares that this place made">grains</th>
            <th class="number" title="Execution time of all its grains together: their own code, without waits, children and runtime">time</th>
            <th class="number" title="Share of all grains' execution time">share</th>
            <th class="number" title="Mean execution time of a grain">mean</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((i) => {
            const s = model.sources[i];
            return (
              <tr key={i} class={store.source === i ? "on" : ""} data-source={i} onClick={() => store.highlightSource(i)}
                  title={`${model.fullPlaceOf(i)}\nClick: highlight its grains`}>
                <td><b><i style={{ background: css(store.colours.ofSource(i)) }} />{model.placeOf(i)}</b><span class="faint">{model.whatOf(i)}</span></td>
                <td class="number">{count(s.grains)}</td>
                <td class="number">{time(s.exec)}</td>
                <td class="number share"><u style={{ width: `${(100 * s.exec) / Math.max(1, total)}%` }} />{percent(s.exec, total)}</td>
                <td class="number">{time(s.exec / s.grains)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {order.length > rows.length && <button class="link" onClick={() => setAll(true)}>showing {kFirstRows} of {count(order.length)}: show all</button>}
    </section>
  );
}
