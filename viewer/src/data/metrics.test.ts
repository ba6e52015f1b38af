import assert from "node:assert/strict";
import { test } from "node:test";
import { recording } from "../testing/recording";
import { formatMetric, grainMetrics, type Metric } from "./metrics";
import { GrainKind } from "./model";

const nan = Number.NaN;
const about = { key: "parallel_benefit", unit: "", threshold: 1, bad: "below" as const, problems: 7, problem_exec: 70 };

function metrics(): Metric[] {
  const grains = [{ kind: GrainKind.initial }, { exec: 100 }, { exec: 200 }, { exec: 400, createCost: -1 }];
  return grainMetrics(
    recording({
      grains,
      metrics: [
        { about, values: [0.1, 0.25, 4, nan] },
        { about: { key: "exec" } },
        { about: { key: "creation" } },
        { about: { key: "program_wide", level: "program" } },
        { about: { key: "nobody_has_it", present: 0 }, values: [nan, nan, nan, nan] },
      ],
    }),
  );
}

test("those of grains that some grain has, in the table's order", () => {
  assert.deepEqual(
    metrics().map((m) => m.key),
    ["parallel_benefit", "exec", "creation"],
  );
});

test("absent values are no problem, and what carries grains is not counted", () => {
  const [benefit] = metrics();
  assert.deepEqual(
    [0.5, 1, 2, nan].map((v) => benefit.isProblem(v)),
    [true, false, false, false],
  );
  const { present, low, high, problems, problemExec } = benefit.stats;
  assert.deepEqual([present, low, high, problems, problemExec], [2, 0.25, 4, 1, 100]);
});

test("the tool's counts hold as long as its threshold does", () => {
  const [benefit] = metrics();
  assert.equal(benefit.counts.problems, 7);
  benefit.setThreshold(5);
  assert.equal(benefit.counts.problems, 2);
  assert.equal(benefit.limit, "below 5");
});

test("columns of the grains themselves are not stored twice", () => {
  const [, exec, creation] = metrics();
  assert.deepEqual([...Array.from(exec.values)], [100, 100, 200, 400]);
  assert.deepEqual([...Array.from(creation.values)], [10, 10, 10, nan], "what was not measured is absent");
});

test("severity goes from the threshold to the worst value", () => {
  const [benefit, exec] = metrics();
  assert.deepEqual([1, 0.625, 0.25, 0].map(benefit.severity), [0, 0.5, 1, 1]);
  assert.deepEqual([100, 250, 400].map(exec.severity), [0, 0.5, 1]);
});

test("of two recordings both have one scale", () => {
  const [a] = metrics();
  const [b] = metrics();
  b.setThreshold(1);
  a.beside = b;
  assert.deepEqual(a.range, { low: 0.25, high: 4 });
});

test("a metric's value for people", () => {
  assert.deepEqual(
    [
      formatMetric(nan, "ns"),
      formatMetric(-1500, "ns"),
      formatMetric(1, "hops"),
      formatMetric(2, "hops"),
      formatMetric(0.123, ""),
      formatMetric(Infinity, ""),
    ],
    ["not known", "-1.50 µs", "1 hop", "2 hops", "0.12", "∞"],
  );
});
