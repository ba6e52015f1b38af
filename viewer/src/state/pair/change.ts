// How grains and lines changed from one recording to the other, as metrics: all that colours, counts and lists metrics
// takes them like any other.

import { Change, Metric } from "../../data/metrics";
import { GrainKind } from "../../data/model";
import type { MetricDescription } from "../../data/page";
import type { Store } from "../store";
import type { Matched, SideName } from "./sides";

const kPerturbed = 2048; // of a grain's flags

const kDescription = {
  unit: "times",
  level: "grain" as const,
  scale: "logarithmic" as const,
  reason: "",
  origin: "einkorn compare",
  kinds: (1 << GrainKind.task) | (1 << GrainKind.chunk),
};

function metricOf(pair: Matched, side: SideName, description: MetricDescription, change: Change): Metric {
  const metric = new Metric(description, pair.stores[side].model);
  metric.change = change;
  return metric;
}

// Of grains that both recordings have. Shares are left out, as the tool does: which thread runs the body of a single is
// the schedule's choice, so that two of one name may have done different things.
export function grainChange(pair: Matched, side: SideName): Metric {
  const own = pair.stores[side].model.grains;
  const there = pair.other(side).model.grains;
  const pairOf = (g: number): [number, number] | null => {
    const other = pair.counterpart(side, g);
    if (own.kind[g] <= GrainKind.share || other >= there.count || own.exec[g] < 0 || there.exec[other] < 0) return null;
    if ((own.flags[g] | there.flags[other]) & kPerturbed) return null;
    return side === "before" ? [own.exec[g], there.exec[other]] : [there.exec[other], own.exec[g]];
  };
  return metricOf(
    pair,
    side,
    {
      ...kDescription,
      key: "change",
      name: "change of the grain",
      definition:
        "Execution time of the same grain, by its schedule-independent name, in the second recording over that in the first. Above 1: it takes longer now. Grains that are shorter than ten times the cost of recording them have none.",
    },
    {
      values: () =>
        Float64Array.from({ length: own.count }, (_, g) => {
          const times = pairOf(g);
          return times && times[0] > 0 ? times[1] / times[0] : NaN;
        }),
      together: (members) => {
        let [before, after] = [0, 0];
        for (let i = 0; i < members.length; i++) {
          const times = pairOf(members[i]);
          if (times) [before, after] = [before + times[0], after + times[1]];
        }
        return before > 0 ? after / before : NaN;
      },
      inOneOnly: (members) => {
        for (let i = 0; i < members.length; i++) if (!pair.onlyHere(side, members[i])) return false;
        return members.length > 0;
      },
    },
  );
}

// Of all grains of a line: for programs whose grains are not the same in both.
export function lineChange(pair: Matched, side: SideName): Metric {
  const { grains } = pair.stores[side].model;
  const lineOf = (g: number) => (grains.kind[g] < GrainKind.share ? undefined : pair.lineOf(side, grains.source[g]));
  const of = (g: number): number => {
    const line = lineOf(g);
    return line && line.before.exec > 0 && line.after.grains > 0 ? line.after.exec / line.before.exec : NaN;
  };
  return metricOf(
    pair,
    side,
    {
      ...kDescription,
      kinds: kDescription.kinds | (1 << GrainKind.share),
      key: "line_change",
      name: "change of the line",
      definition:
        "Execution time of all grains of a source line in the second recording over that in the first. Above 1: the line takes longer now.",
    },
    {
      values: () => Float64Array.from({ length: grains.count }, (_, g) => of(g)),
      together: (members) => {
        const lines = new Set<ReturnType<typeof lineOf>>();
        for (let i = 0; i < members.length; i++) lines.add(lineOf(members[i]));
        let [before, after] = [0, 0];
        for (const line of lines)
          if (line && line.before.grains > 0 && line.after.grains > 0)
            [before, after] = [before + line.before.exec, after + line.after.exec];
        return before > 0 ? after / before : NaN;
      },
      inOneOnly: (members) => {
        for (let i = 0; i < members.length; i++) {
          const line = lineOf(members[i]);
          if (!line || (line.before.grains > 0 && line.after.grains > 0)) return false;
        }
        return members.length > 0;
      },
    },
  );
}

// Each side's metrics, and for those that it has no values of one without values.
export function withAll(before: Store, after: Store): Record<SideName, Metric[]> {
  const absent = (m: Metric, store: Store) =>
    new Metric({ ...m.description, present: 0, problems: 0, problem_exec: 0 }, store.model);
  const all = [...after.metrics, ...before.metrics.filter((m) => !after.metric(m.key))];
  const of = (store: Store) => all.map((m) => store.metric(m.key) ?? absent(m, store));
  return { before: of(before), after: of(after) };
}
