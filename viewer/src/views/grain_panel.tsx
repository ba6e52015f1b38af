// Everything known about the selected grain, each property with its unit and an explanation.

import type { ComponentChildren } from "preact";
import { count, many, percent, shortened, time } from "../data/format";
import { GrainKind, kNoCpu, kNodeKindNames, kNone, kScheduleNames, Model, NodeKind } from "../data/model";
import { grainsOfNode } from "../data/scene";
import { css } from "../draw/colours";
import { dispatch } from "../state/actions";
import { canOpen } from "../state/served";
import { isCollapsed } from "../state/shape";
import type { Store } from "../state/store";
import { theme } from "../state/theme";
import { CodeletsLink } from "./codelets_view";
import { Link, titleOf } from "./grain_link";
import { GroupPanel } from "./group_panel";
import { SourceLines } from "./source_text";
import { Term } from "./term";
import { useStore } from "./use_store";

const kFlags: [number, string, string][] = [
  [
    1,
    "undeferred",
    "Its creator ran it at once: by an if clause or final; where it is inlined, by the runtime's choice.",
  ],
  [2, "final", "All its descendants run at once, inside it."],
  [4, "untied", "May move to another thread where it is suspended."],
  [8, "mergeable", "May share its creator's data."],
  [16, "included", "Child of a final task: run at once by its creator."],
  [32, "inlined", "The runtime chose to run it at once instead of queueing it, as in a team of one."],
  [64, "has dependences", "Ordered against its siblings by a depend clause."],
  [512, "estimated", "Some of its times come from a stretch where records were lost."],
  [1024, "incomplete", "No end was recorded: it ends with the recording."],
  [2048, "perturbed", "Shorter than ten times the cost of recording it: do not trust its time."],
];
const kFewChildren = 12;

function Row({ name, why, children }: { name: ComponentChildren; why: string; children: ComponentChildren }) {
  return (
    <>
      <dt title={why}>{name}</dt>
      <dd title={why}>{children}</dd>
    </>
  );
}

function Measured({ name, why, ns }: { name: string; why: string; ns: number }) {
  return ns < 0 ? null : (
    <Row name={name} why={`${why} ${count(ns)} ns.`}>
      {time(ns)}
    </Row>
  );
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
          {[...children.slice(0, kFewChildren)].map((c) => (
            <li key={c}>
              <Link store={store} grain={c} /> <span class="faint">{time(model.grains.exec[c])}</span>
            </li>
          ))}
          {all > kFewChildren && (
            <li class="faint">
              showing {kFewChildren} of {count(all)}
            </li>
          )}
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
  if (model.codeletOf(grain) >= 0)
    return (
      <Row name="codelet" why="Its number among the codelets of its class, as the program has numbered them.">
        {count(first)}
      </Row>
    );
  const { loops } = model;
  return (
    <>
      {n >= 0 && (
        <Row name="iterations" why="Of its loop, counted from 0 in the order of the loop.">
          {n === 1 ? count(first) : `${count(first)} to ${count(first + n - 1)}`}{" "}
          <span class="faint">({many(n, "iteration")})</span>
        </Row>
      )}
      {loop !== kNone && (
        <Row
          name="loop"
          why="The loop that this chunk is of: number of iterations, how they were dealt out, and the chunk size asked for."
        >
          {many(loops.iterations[loop], "iteration")}, {kScheduleNames[loops.schedule[loop]] ?? "unknown schedule"}
          {loops.chunk[loop] > 0 ? `, chunk size ${count(loops.chunk[loop])}` : ""}
        </Row>
      )}
    </>
  );
}

function NodeLine({ store }: { store: Store }) {
  const { selectedNode: node, model } = store;
  const { nodes } = store.scene;
  const kind = nodes.kind[node];
  const name = kNodeKindNames[kind];
  let text = `${name}, ${time(nodes.weight[node])}`;
  if (kind === NodeKind.join) text = "join: work is waited for here";
  if (kind === NodeKind.fork)
    text = `fork: a grain is created here${nodes.weight[node] > 0 ? `, ${time(nodes.weight[node])}` : ""}`;
  const stretch = model.stretchOf(node);
  if (stretch) {
    const { at, source } = stretch.codelet;
    const where = source === undefined ? "" : `, ${model.placeOf(source)}`;
    text += `, of its stretch ${count(stretch.visit + 1)}: ${at ? `goes on at ${at}` : "begins"}${where}`;
  }
  if (kind === NodeKind.aggregate)
    text = `aggregate of ${many(nodes.members[node], "node")}, ${time(nodes.weight[node])} of execution together`;
  return (
    <Row
      name="clicked on"
      why="The part of the grain that was clicked. A task's fragments are its stretches between creating and waiting."
    >
      {text}
      {nodes.critical[node] ? (
        <b class="criticaltext" title="No number of threads makes the program faster than this path.">
          {" "}
          on the critical path
        </b>
      ) : null}
    </Row>
  );
}

// What the metrics say of the grain; its problems first.
function Metrics({ store, grain }: { store: Store; grain: number }) {
  const told = store.metrics
    .filter((m) => m.key !== "exec" && m.key !== "creation")
    .map((m) => ({ m, v: m.values[grain], bad: m.isProblem(m.values[grain]) }))
    .filter(({ v }) => !Number.isNaN(v));
  told.sort((a, b) => Number(b.bad) - Number(a.bad));
  return (
    <>
      {told.map(({ m, v, bad }) => (
        <Row key={m.key} name={<Term metric={m} />} why="">
          <span class={bad ? "bad" : ""}>{m.format(v)}</span>
          {bad && (
            <span class="faint">
              {" "}
              ({m.bad} {m.format(m.threshold).replace(/ .*/, "")})
            </span>
          )}
        </Row>
      ))}
    </>
  );
}

// Neighbours by depend clauses.
function Dependences({ store, grain }: { store: Store; grain: number }) {
  const { model } = store;
  if (!model.hasDependences) return null;
  const before = new Set<number>();
  const after = new Set<number>();
  for (const own of model.nodesOf.of(grain))
    for (const e of model.dependencesOf(own)) {
      const [from, to] = [model.edges.from[e], model.edges.to[e]];
      const other = model.nodes.grain[from === own ? to : from];
      if (other !== kNone && other !== grain) (from === own ? after : before).add(other);
    }
  const list = (name: string, why: string, of: Set<number>) =>
    of.size === 0 ? null : (
      <Row name={name} why={why}>
        {count(of.size)}
        <ul class="children">
          {[...of].slice(0, 4).map((g) => (
            <li key={g}>
              <Link store={store} grain={g} />
            </li>
          ))}
        </ul>
      </Row>
    );
  return (
    <>
      {list("depends on", "Tasks that had to end before it could start, by depend clauses.", before)}
      {list("followed by", "Tasks that waited for it, by depend clauses.", after)}
    </>
  );
}

export function GrainPanel({ store }: { store: Store }) {
  useStore(store);
  const { model, scene, selectedNode: node, selectedGrain: grain } = store;
  if (node < 0)
    return (
      <section class="grain empty">
        <p>
          Click a box to see its grain.{" "}
          <span class="faint">A grain is one task, one chunk of a loop, or one share of a region.</span>
        </p>
      </section>
    );
  if (grain === kNone && grainsOfNode(scene, node).length > 1) return <GroupPanel store={store} />;
  const { nodes } = scene;
  const own = grain === nodes.grain[node]; // else the grain has no node of its own
  const kind = own ? nodes.kind[node] : NodeKind.fragment;
  const source =
    kind === NodeKind.fork || kind === NodeKind.join || grain === kNone
      ? model.sourceOfNode(nodes, node)
      : model.grains.source[grain];
  const s = source === kNone ? null : model.sources[source];
  const g = model.grains;
  const heading =
    kind === NodeKind.join
      ? `join at ${model.placeOf(source)}`
      : kind === NodeKind.fork
        ? `fork at ${model.placeOf(source)}`
        : grain === kNone
          ? kNodeKindNames[kind]
          : titleOf(model, grain);
  const flags = grain === kNone ? [] : kFlags.filter(([bit]) => g.flags[grain] & bit);
  const aggregate = canOpen(store, node);
  const subtree = scene.form === "grains" && grain !== kNone && g.children[grain] > 0;
  return (
    <section class="grain" id="grain">
      <h2>
        {own && (
          <i style={{ background: css(store.colours.ofNode(scene, node, store.colouring, theme().background)) }} />
        )}
        {heading}
        <button
          class="close"
          title="Close (Escape)"
          aria-label="Close"
          onClick={() => dispatch(store, { type: "select node", node: -1 })}
        >
          ×
        </button>
      </h2>
      {s && (
        <p class="place" title={model.fullPlaceOf(source)}>
          {s.function ? <b>{shortened(s.function, 80)}</b> : null}{" "}
          {s.file ? `${s.file}:${s.line}` : `${s.module} at ${s.address}`}{" "}
          <CodeletsLink store={store} source={source} />
        </p>
      )}
      {s && <SourceLines store={store} source={source} around={3} />}
      {s && s.inlined.length > 0 && (
        <p class="faint" title={`The compiler put this code inside of these functions.\n${s.inlined.join("\n")}`}>
          inlined into {s.inlined.map((i) => shortened(i, 80)).join(", ")}
        </p>
      )}
      {(grain !== kNone || aggregate) && (
        <p class="actions">
          {aggregate && (
            <button
              class="link"
              id="open-part"
              title="The nodes in this box, and those around it (Enter, a double click, or the wheel where it goes no further in)"
              onClick={() => dispatch(store, { type: "open node", node })}
            >
              open these {count(nodes.members[node])} nodes
            </button>
          )}
          {model.meta.served && s?.file && (
            <a href={`source?index=${source}#L${s.line}`} target="_blank" rel="noreferrer" title="The whole file">
              whole file
            </a>
          )}
          {grain !== kNone && store.shown !== "graph" && (
            <button
              class="link"
              onClick={() => {
                dispatch(store, { type: "show", view: "graph" });
                dispatch(store, { type: "select grain", grain });
              }}
            >
              show in graph
            </button>
          )}
          {grain !== kNone && store.shown !== "timeline" && g.begin[grain] >= 0 && (
            <button class="link" onClick={() => dispatch(store, { type: "show in timeline", grain })}>
              show in timeline
            </button>
          )}
          {subtree && (
            <button
              class="link"
              id="subtree"
              title="All that it and its descendants did, as one box (x)"
              onClick={() => dispatch(store, { type: "subtree", grain: grain })}
            >
              {isCollapsed(store, grain) ? "expand subtree" : "collapse subtree"}
            </button>
          )}
        </p>
      )}
      <dl>
        {own && !scene.grainsOf && <NodeLine store={store} />}
        {grain !== kNone && (
          <>
            {(kind === NodeKind.fork || kind === NodeKind.join) && (
              <Row name="in grain" why="The grain that creates or waits here; what follows is about it.">
                <Link store={store} grain={grain} />
              </Row>
            )}
            <Row
              name="execution"
              why={`Time in its own code: without its children, its waits and the runtime. ${count(g.exec[grain])} ns.`}
            >
              {time(g.exec[grain])}
              {g.fragments[grain] > 1 && <span class="faint"> in {many(g.fragments[grain], "fragment")}</span>}
            </Row>
            <Metrics store={store} grain={grain} />
            {g.wait[grain] > 0 && (
              <Row
                name="waits"
                why={`Time from begin to end of its waits (taskwait, taskgroup, barrier), including what ran inside them. ${count(g.wait[grain])} ns.`}
              >
                {time(g.wait[grain])}
              </Row>
            )}
            <Measured name="creation" why="What creating it cost its creator." ns={g.createCost[grain]} />
            {g.begin[grain] >= 0 && (
              <Row name="began" why="Begin of its first fragment, from the start of the recording.">
                {time(g.begin[grain])}
                {g.createBegin[grain] >= 0 &&
                  g.begin[grain] >= g.createBegin[grain] &&
                  g.kind[grain] === GrainKind.task && (
                    <span class="faint"> ({time(g.begin[grain] - g.createBegin[grain])} after its creation)</span>
                  )}
              </Row>
            )}
            {g.span[grain] >= 0 && (
              <Row
                name="from begin to end"
                why="From the begin of its first fragment to the end of its last, waits included."
              >
                {time(g.span[grain])}
              </Row>
            )}
            <Row name="thread" why="The thread that ran its first fragment, and the one that created it.">
              {g.thread[grain] === kNone ? "not recorded" : g.thread[grain]}
              {g.creator[grain] !== kNone && g.creator[grain] !== g.thread[grain] && (
                <span class="faint"> (created by {g.creator[grain]})</span>
              )}
            </Row>
            {g.cpu[grain] !== kNoCpu && (
              <Row name="CPU, NUMA node" why="Where its first fragment ran.">
                {g.cpu[grain]}
                {g.node[grain] !== kNoCpu ? `, ${g.node[grain]}` : ""}
              </Row>
            )}
            <Iterations model={model} grain={grain} />
            <Dependences store={store} grain={grain} />
            {g.parent[grain] !== kNone && (
              <Row name="parent" why="The grain that created it; of a chunk or share, the thread's implicit task.">
                <Link store={store} grain={g.parent[grain]} />{" "}
                <span class="faint">as its child {count(g.ordinal[grain] + 1)}</span>
              </Row>
            )}
            <Children store={store} grain={grain} />
            <Row name="depth" why="How many tasks it is nested in.">
              {count(g.depth[grain])}
            </Row>
            <Row name="share of work" why="Its execution time, of all execution time.">
              {percent(g.exec[grain], model.meta.exec)}
            </Row>
            {flags.length > 0 && (
              <Row name="properties" why="From its clauses, or from how it was run and recorded.">
                {flags.map(([bit, name, why]) => (
                  <span key={bit} class="flag" title={why}>
                    {name}
                  </span>
                ))}
              </Row>
            )}
            <Row
              name="id"
              why="The same in every run of the program on the same input, whatever the schedule. Can be searched for."
            >
              <code>{model.idOf(grain)}</code>
            </Row>
          </>
        )}
      </dl>
    </section>
  );
}
