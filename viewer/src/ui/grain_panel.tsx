// Everything known about the selected grain, each property with its unit and an explanation.
import type { ComponentChildren } from "preact";
import { css } from "../colours";
import { count, many, percent, ratio, time } from "../format";
import { GrainKind, kGrainKindNames, kNoCpu, kNodeKindNames, kNone, kScheduleNames, Model, NodeKind } from "../model";
import type { Store } from "../store";
import { useStore } from "./app";
import { SourceText } from "./source_text";

const kFlags: [number, string, string][] = [
  [1, "undeferred", "Its creator waited for it to finish (if clause false, or a team of one)."],
  [2, "final", "All its descendants run at once, inside it."],
  [4, "untied", "May move to another thread where it is suspended."],
  [8, "mergeable", "May share its creator's data."],
  [16, "included", "Child of a final task: run at once by its creator."],
  [32, "inlined", "The runtime chose to run it at once instead of queueing it."],
  [64, "has dependences", "Ordered against its siblings by a depend clause."],
  [512, "estimated", "Some of its times come from a stretch where records were lost."],
  [1024, "incomplete", "No end was recorded: it ends with the recording."],
  [2048, "perturbed", "Shorter than ten times the cost of recording it: do not trust its time."],
];
const kFewChildren = 12;

function Row({ name, why, children }: { name: string; why: string; children: ComponentChildren }) {
  return <><dt title={why}>{name}</dt><dd title={why}>{children}</dd></>;
}

function Measured({ name, why, ns }: { name: string; why: string; ns: number }) {
  return ns < 0 ? null : <Row name={name} why={`${why} ${count(ns)} ns.`}>{time(ns)}</Row>;
}

function titleOf(model: Model, grain: number): string {
  const kind = model.grains.kind[grain];
  const source = model.grains.source[grain];
  const where = source === kNone ? "" : ` at ${model.placeOf(source)}`;
  return kGrainKindNames[kind] + (kind === GrainKind.initial ? "" : where);
}

function Link({ store, grain }: { store: Store; grain: number }) {
  return <button class="link" data-grain={grain} title="Select this grain and show it" onClick={() => store.selectGrain(grain)}>{titleOf(store.model, grain)}</button>;
}

function Children({ store, grain }: { store: Store; grain: number }) {
  const { model } = store;
  const children = model.childrenOf.of(grain);
  const all = model.grains.children[grain];
  if (all === 0) return null;
  return (
    <Row name="children" why="Grains that it created, or that belong to it, in order of creation.">
      {count(all)}
      {children.length > 0 && (
        <ul class="children">
          {[...children.slice(0, kFewChildren)].map((c) => <li key={c}><Link store={store} grain={c} /> <span class="faint">{time(model.grains.exec[c])}</span></li>)}
          {all > kFewChildren && <li class="faint">showing {kFewChildren} of {count(all)}</li>}
        </ul>
      )}
    </Row>
  );
}

function Iterations({ model, grain }: { model: Model; grain: number }) {
  const first = model.grains.firstIteration[grain];
  const n = model.grains.iterations[grain];
  const loop = model.grains.loop[grain];
  if (first < 0 && n < 0 && loop === kNone) return null;
  const { loops } = model;
  return (
    <>
      {n >= 0 && <Row name="iterations" why="Of its loop, counted from 0 in the order of the loop.">{n === 1 ? count(first) : `${count(first)} to ${count(first + n - 1)}`} <span class="faint">({many(n, "iteration")})</span></Row>}
      {loop !== kNone && (
        <Row name="loop" why="The loop that this chunk is of: number of iterations, how they were dealt out, and the chunk size asked for.">
          {many(loops.iterations[loop], "iteration")}, {kScheduleNames[loops.schedule[loop]] ?? "unknown schedule"}{loops.chunk[loop] > 0 ? `, chunk size ${count(loops.chunk[loop])}` : ""}
        </Row>
      )}
    </>
  );
}

function NodeLine({ store }: { store: Store }) {
  const { model, selectedNode: node } = store;
  const { nodes } = model;
  const kind = nodes.kind[node];
  const name = kNodeKindNames[kind];
  let text = `${name}, ${time(nodes.weight[node])}`;
  if (kind === NodeKind.join) text = "join: work is waited for here";
  if (kind === NodeKind.fork) text = `fork: a grain is created here${nodes.weight[node] > 0 ? `, ${time(nodes.weight[node])}` : ""}`;
  if (kind === NodeKind.aggregate) text = `aggregate of ${many(nodes.members[node], "node")}, ${time(nodes.weight[node])} of execution together`;
  return (
    <Row name="clicked on" why="The part of the grain that was clicked. A task's fragments are its stretches between creating and waiting.">
      {text}{nodes.critical[node] ? <b class="criticaltext" title="No number of threads makes the program faster than this path."> on the critical path</b> : null}
    </Row>
  );
}

export function GrainPanel({ store }: { store: Store }) {
  useStore(store);
  const { model, selectedNode: node, selectedGrain: grain } = store;
  if (node < 0)
    return <section class="grain empty"><p>Click a box of the graph to see its grain. <span class="faint">A grain is one task, one chunk of a loop, or one share of a region.</span></p></section>;
  const own = grain === model.nodes.grain[node]; // else the grain has no node of its own
  const kind = own ? model.nodes.kind[node] : NodeKind.fragment;
  const source = kind === NodeKind.fork || kind === NodeKind.join || grain === kNone ? model.sourceOfNode(node) : model.grains.source[grain];
  const s = source === kNone ? null : model.sources[source];
  const g = model.grains;
  const heading = kind === NodeKind.join ? `join at ${model.placeOf(source)}`
    : kind === NodeKind.fork ? `fork at ${model.placeOf(source)}` : grain === kNone ? kNodeKindNames[kind] : titleOf(model, grain);
  const flags = grain === kNone ? [] : kFlags.filter(([bit]) => g.flags[grain] & bit);
  return (
    <section class="grain" id="grain">
      <h2>{own && <i style={{ background: css(store.colours.ofNode(node, store.mode)) }} />}{heading}
        <button class="close" title="Close (Escape)" aria-label="Close" onClick={() => store.selectNode(-1, false)}>×</button></h2>
      {s && <p class="place" title={`${s.file || s.module}${s.line ? `:${s.line}` : ` at ${s.address}`}`}>{s.function ? <b>{s.function}</b> : null} {s.file ? `${s.file}:${s.line}` : `${s.module} at ${s.address}`}</p>}
      {s && <SourceText source={s} included={model.meta.source_text} />}
      {s && s.inlined.length > 0 && <p class="faint" title="The compiler put this code inside of these functions.">inlined into {s.inlined.join(", ")}</p>}
      <dl>
        {own && <NodeLine store={store} />}
        {grain !== kNone && (
          <>
            {(kind === NodeKind.fork || kind === NodeKind.join) && <Row name="in grain" why="The grain that creates or waits here; what follows is about it."><Link store={store} grain={grain} /></Row>}
            <Row name="execution" why={`Time in its own code: without its children, its waits and the runtime. ${count(g.exec[grain])} ns.`}>{time(g.exec[grain])}
              {g.fragments[grain] > 1 && <span class="faint"> in {many(g.fragments[grain], "fragment")}</span>}</Row>
            {g.wait[grain] > 0 && <Row name="waits" why={`Time from begin to end of its waits (taskwait, taskgroup, barrier), including what ran inside them. ${count(g.wait[grain])} ns.`}>{time(g.wait[grain])}</Row>}
            <Measured name="creation" why="What creating it cost its creator." ns={g.createCost[grain]} />
            {g.createCost[grain] > 0 && g.kind[grain] === GrainKind.task && (
              <Row name="benefit" why="Execution time divided by what its creation cost. Below 1 it would have been faster to just run it.">
                {ratio(g.exec[grain] / g.createCost[grain])} × its creation</Row>)}
            {g.begin[grain] >= 0 && <Row name="began" why="Begin of its first fragment, from the start of the recording.">{time(g.begin[grain])}
              {g.createBegin[grain] >= 0 && g.begin[grain] >= g.createBegin[grain] && g.kind[grain] === GrainKind.task && <span class="faint"> ({time(g.begin[grain] - g.createBegin[grain])} after its creation)</span>}</Row>}
            {g.span[grain] >= 0 && <Row name="from begin to end" why="From the begin of its first fragment to the end of its last, waits included.">{time(g.span[grain])}</Row>}
            <Row name="thread" why="The thread that ran its first fragment, and the one that created it.">{g.thread[grain] === kNone ? "not recorded" : g.thread[grain]}
              {g.creator[grain] !== kNone && g.creator[grain] !== g.thread[grain] && <span class="faint"> (created by {g.creator[grain]})</span>}</Row>
            {g.cpu[grain] !== kNoCpu && <Row name="CPU, NUMA node" why="Where its first fragment ran.">{g.cpu[grain]}{g.node[grain] !== kNoCpu ? `, ${g.node[grain]}` : ""}</Row>}
            <Iterations model={model} grain={grain} />
            {g.parent[grain] !== kNone && <Row name="parent" why="The grain that created it; of a chunk or share, the thread's implicit task."><Link store={store} grain={g.parent[grain]} /> <span class="faint">as its child {count(g.ordinal[grain] + 1)}</span></Row>}
            <Children store={store} grain={grain} />
            <Row name="depth" why="How many tasks it is nested in.">{count(g.depth[grain])}</Row>
            <Row name="share of work" why="Its execution time, of all execution time.">{percent(g.exec[grain], model.meta.thread_time.work ?? 0)}</Row>
            {flags.length > 0 && <Row name="properties" why="From its clauses, or from how it was run and recorded.">{flags.map(([bit, name, why]) => <span key={bit} class="flag" title={why}>{name}</span>)}</Row>}
            <Row name="id" why="The same in every run of the program on the same input, whatever the schedule. Can be searched for."><code>{model.idOf(grain)}</code></Row>
          </>
        )}
      </dl>
    </section>
  );
}
