// The name of a metric: hovering over it says what it is.
import type { Metric } from "../data/metrics";
import { explain } from "../data/metrics";

export function Term({ metric }: { metric: Metric }) {
  return (
    <span class="term" data-metric={metric.key} title={explain(metric.description)}>
      {metric.name}
    </span>
  );
}
