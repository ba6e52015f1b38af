// What is highlighted: found, of a source line, of a problem, of bars of the histogram.

import type { Metric } from "../data/metrics";
import { kNone } from "../data/model";
import type { Problem } from "../data/page";
import { extentOf } from "../data/scene";
import { type Found, light, search, searchProblem, searchRange, searchSource } from "../data/search";
import type { Structure } from "../draw/colours";
import { repaint } from "./paint";
import { complete } from "./served";
import type { Peer, Store } from "./store";

// The metric that shows a kind of problem best.
const kMetricOfProblem: Record<string, string> = {
  tasks_too_fine: "parallel_benefit",
  chunks_too_fine: "parallel_benefit",
  too_coarse: "exec",
  load_imbalance: "idle_caused",
  little_parallelism: "critical",
  work_inflation: "work_deviation",
  remote_data: "remote_share",
  loop_order: "reuse",
  waiting: "idle_caused",
};

// Whether colours by the metric tell a fair part of the grains apart from the rest.
function tells(metric: Metric, grains: Uint8Array): boolean {
  const { values } = metric;
  let all = 0;
  let told = 0;
  for (let g = 0; g < grains.length; g++) {
    if (!grains[g]) continue;
    all++;
    if (metric.bad ? metric.isProblem(values[g]) : values[g] > 0) told++;
  }
  return told > all / 4;
}

function forget(store: Store): void {
  store.query = "";
  store.source = kNone;
  store.problem = -1;
  store.range = null;
}

function highlight(store: Store, found: Found | null): void {
  store.found = found;
  store.result = found ? light(store.model, store.scene, found) : null;
  store.stop = -1;
  repaint(store);
  store.notify();
  if (found) void complete(store, found);
}

export function clear(store: Store): void {
  forget(store);
  highlight(store, null);
}

export function find(store: Store, text: string): void {
  forget(store);
  store.query = text;
  highlight(store, search(store.model, text));
}

// Any set of grains.
export function highlightGrains(store: Store, grains: Uint8Array, what: string): void {
  forget(store);
  highlight(store, { grains, sources: null, what });
}

// Nothing where the line makes no grains: then the picture stays as it is.
function foundOf(store: Store): Found | null {
  const { model, source } = store;
  return source === kNone || model.isMemory(source) ? null : searchSource(model, source);
}

// A second time: no more.
export function highlightSource(store: Store, source: number): void {
  const again = source === store.source;
  forget(store);
  if (!again) store.source = source;
  highlight(store, foundOf(store));
}

// A line of the other recording, which may not be here at all.
export function highlightSourceOf(leader: Store, store: Store, peer: Peer): void {
  if (leader.source === kNone) return clear(store);
  const source = peer.source(leader.source);
  if (source === kNone && leader.model.isMemory(leader.source)) return clear(store);
  if (source === kNone)
    return highlightGrains(store, new Uint8Array(store.model.grains.count), leader.model.placeOf(leader.source));
  forget(store);
  store.source = source;
  highlight(store, foundOf(store));
}

// A problem's grains, and where they are. A second time: no more.
export function chooseProblem(store: Store, index: number): void {
  const again = index === store.problem;
  const problem = store.model.meta.problems[index];
  if (again || !problem) return clear(store);
  forget(store);
  store.problem = store.openProblem = index;
  const found = searchProblem(store.model, problem, store.metric("remote_share"), `problem ${index + 1}`);
  const metric = store.metric(kMetricOfProblem[problem.kind]);
  store.colouring = metric && tells(metric, found.grains) ? metric : "source";
  if (metric) store.histogram = metric;
  highlight(store, found);
  zoomToLit(store);
}

// What the other recording's problem is about, here.
export function showProblemOf(leader: Store, store: Store, peer: Peer): void {
  const problem: Problem | undefined = leader.model.meta.problems[leader.problem];
  if (!problem) return clear(store);
  const own = (sources: number[]) => sources.map((s) => peer.source(s)).filter((s) => s !== kNone);
  const about = problem.about && { ...problem.about, sources: own(problem.about.sources) };
  forget(store);
  store.colouring = store.metric(leader.colouringKey) ?? (leader.colouringKey as Structure);
  store.histogram = store.metric(leader.histogram.key) ?? store.histogram;
  const there = { ...problem, about, sources: own(problem.sources) };
  highlight(store, searchProblem(store.model, there, store.metric("remote_share"), leader.found?.what ?? ""));
  zoomToLit(store);
}

// Of what is highlighted already, if that is no range itself.
export function setRange(store: Store, metric: Metric, from: number, to: number): void {
  const within = store.found && !store.range ? store.found.grains : null;
  forget(store);
  store.range = { metric, from, to };
  highlight(store, searchRange(store.model, metric, from, to, within));
}

export function zoomToLit(store: Store): void {
  const lit = store.result?.nodes;
  if (!lit) return;
  const part = extentOf(store.scene, lit);
  if (part.left > part.right) return;
  store.view.frame(part);
  store.moved();
}
