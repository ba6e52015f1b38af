#include "profile/graph.h"
#include <algorithm>
#include <utility>
#include "profile/graph_builder.h"
#include "profile/late_edges.h"
#include "profile/lock_points.h"

namespace einkorn::profile {

namespace graph_parts {

// ---- walking a context ---------------------------------------------------------------------------------------------

void GraphBuilder::start(WalkKind kind, uint32_t context, uint32_t step, uint32_t prev, EdgeKind link) {
  Walker w{};
  w.kind = kind;
  w.context = context;
  w.step = step;
  w.prev = prev;
  w.link = link;
  w.at_fork = true;
  w.levels = w.dirty = levels_.size();
  levels_.emplace_back();
  frames_.push_back({Pending::walker, uint32_t(walkers_.size()), kNone, kNone});
  walkers_.push_back(std::move(w));
}

void GraphBuilder::emit_step(Walker& w, const Step& s, uint32_t index) {
  if (s.kind == StepKind::none) return;
  NodeKind kind = s.kind == StepKind::bookkeeping ? NodeKind::bookkeeping
                  : s.kind == StepKind::chunk     ? NodeKind::chunk
                                                  : NodeKind::fragment;
  uint32_t n = node(kind, s.grain, kNone, s.thread, s.begin, s.weight);
  extend(w, n);
  if (w.stretch != kNone) {
    graph_.stretch_of.resize(n + 1, kNone);
    graph_.stretch_of[n] = w.stretch;
    if (uint32_t& grain = graph_.stretches[w.stretch].grain; grain == kNone) grain = s.grain;
  }
  if (!node_of_step_.empty()) node_of_step_[index] = n;
  if (kind == NodeKind::bookkeeping) {
    if (w.chain == kNone) w.chain = next_chain_++;
    chains_.push_back({n, w.chain});
  }
  if (w.turn == kNone || kind != NodeKind::chunk) return;
  in_turn_.push_back(n);
  if (turns_.empty() || turns_.back().grain != s.grain) turns_.push_back({s.grain, n, kNone});
}

// codelet: of the stretch, is its site until the codelets are known (codelet_graphs.h).
void GraphBuilder::begin_stretch(Walker& w, uint32_t site) {
  const uint32_t before = w.stretch;
  w.stretch = uint32_t(graph_.stretches.size());
  graph_.stretches.push_back({site, kNone, before, before == kNone ? 0 : graph_.stretches[before].visit + 1});
}

void GraphBuilder::beside(Walker& w, const RawBeside& b) {
  if (w.kind != WalkKind::member) return;
  const BesideEdges::Member me{regions_.back().region, rec_.contexts[w.context].member};
  if (b.count == 0) beside_.post(me, b.number, w.prev);
  else beside_.wait(me, b, w.prev), w.behind = true;
}

void GraphBuilder::iteration(Walker& w, const Step& s) {
  if (s.grain >= out_.grains.size()) return;
  const uint32_t loop = out_.grains[s.grain].loop;
  const RawIteration& it = rec_.iterations[s.ref];
  if (loop == kNone) return;
  if (it.awaited) iterations_.awaits(loop, it.position), w.awaits = true;
  else iterations_.done(loop, it.position, w.prev);
}

// Walks one step and its action. False: something else must be walked first, or the walker has stopped at a barrier.
bool GraphBuilder::step(Walker& w) {
  const uint32_t index = w.step;
  const Step& s = rec_.steps[index];
  for (uint16_t i = 0; i < s.groups; ++i) levels_.emplace_back();
  w.step = s.next;
  emit_step(w, s, index);
  switch (s.action) {
    case Action::loop_begin: w.chain = kNone; return true;
    case Action::turn: w.turn = s.ref; return true;
    case Action::stretch: begin_stretch(w, s.ref); return true;
    case Action::post:
    case Action::behind: beside(w, rec_.besides[s.ref]); return true;
    case Action::iteration: iteration(w, s); return true;
    case Action::fulfill: completions_.fulfilled(rec_.fulfills[s.ref].task, w.prev); return true;
    case Action::signal: hand_.signalled(s.ref, w.prev); return true;
    case Action::chunk_end:
    case Action::loop_end:
      if (std::exchange(w.turn, kNone) != kNone && !turns_.empty()) turns_.back().last = w.prev;
      return true;
    case Action::fork: {
      if (s.ref == kNone) return true;
      const RawTask& task = rec_.tasks[s.ref];
      uint32_t n = node(NodeKind::fork, s.grain, source_of(task.site), s.thread, task.create_begin,
                        std::max<int64_t>(0, task.create_cost));
      extend(w, n);
      if (task.depends != kNone) follow(w, *table_of(w, &task), task.depends, n, true);
      if (task.first_stay == kNone) {
        if (task.depends != kNone) table_of(w, &task)->add(task.depends, true, joint(w, n, std::exchange(preds_, {})));
        return true;
      }
      start(WalkKind::task, task.first_stay, rec_.contexts[task.first_stay].first_step, n, EdgeKind::creation);
      walkers_.back().task = s.ref;
      walkers_.back().fork = n;
      if (task.site < rec_.sites.size() && rec_.sites[task.site].flags & record::kSiteProcedure)
        begin_stretch(walkers_.back(), task.site);
      return false;
    }
    case Action::region:
      if (s.ref == kNone) return true;
      start_region(w, s);
      return false;
    case Action::wait_task:
    case Action::wait_group:
    case Action::wait_own:
    case Action::wait_depend: wait(w, s, index); return true;
    case Action::wait_team:
      if (w.kind == WalkKind::member) {
        suspend_member(w, &s);
        return false;
      }
      wait(w, s, index);
      return true;
    default: return true;
  }
}

// Moves all entries that still wait in the context to `to`, and drops its levels.
void GraphBuilder::finish_walker() {
  Walker w = std::move(walkers_.back());
  walkers_.pop_back();
  frames_.pop_back();
  if (!w.at_fork && w.task != kNone) complete(w);
  List rest;
  for (size_t i = w.levels; i < levels_.size(); ++i) {
    splice(rest, levels_[i].children);
    splice(rest, levels_[i].others);
  }
  levels_.resize(w.levels);
  if (w.kind == WalkKind::root) {
    splice(rest, program_end_);
    if (rest.head == kNone) return;
    uint32_t join = node(NodeKind::join, 0, kNone, kNone, out_.grains[0].end, 0);
    if (w.prev != kNone) edge(w.prev, join, EdgeKind::continuation);
    join_list(rest, join);
    return;
  }
  const Pending& below = frames_.back();
  if (below.kind == Pending::walker) {
    Walker& parent = walkers_[below.index];
    if (uint32_t depends = w.task != kNone ? rec_.tasks[w.task].depends : kNone; depends != kNone) {
      DependTable& table = *table_of(parent, &rec_.tasks[w.task]);
      table.add(depends, true, w.at_fork ? joint(parent, w.prev, std::exchange(preds_, {})) : w.prev);
      exclude(table, rec_.tasks[w.task]);
    }
    if (!w.at_fork && w.task != kNone && joins_at_once(w.task)) {
      const Node fork = graph_.nodes[parent.prev];
      const int64_t goes_on = parent.step != kNone ? rec_.steps[parent.step].begin : rec_.contexts[w.context].end;
      uint32_t join = node(NodeKind::join, fork.grain, fork.source, fork.thread, goes_on, 0);
      extend(parent, join);
      edge(w.prev, join, EdgeKind::join);
    } else if (!w.at_fork) {
      append(top_level().children, w.prev);
    }
    parent.dirty = std::min(parent.dirty, levels_.size() - 1);
    splice(top_level().others, rest);
  } else {  // an orphan
    List& end = below.region_index == kNone ? program_end_ : regions_.back().at_end;
    if (!w.at_fork) append(end, w.prev);
    splice(end, rest);
  }
}

void GraphBuilder::run_walker() {
  for (;;) {
    Walker& w = walkers_.back();
    while (w.step == kNone) {
      uint32_t next = rec_.contexts[w.context].next_stay;
      if (next == kNone) {
        if (w.kind == WalkKind::member) suspend_member(w, nullptr);
        else finish_walker();
        return;
      }
      w.context = next;
      w.step = rec_.contexts[next].first_step;
    }
    if (!step(w)) return;
  }
}

// ---- regions -------------------------------------------------------------------------------------------------------

void GraphBuilder::start_region(Walker& w, const Step& s) {
  const RawRegion& r = rec_.regions[s.ref];
  uint32_t fork = node(NodeKind::fork, s.grain, source_of(r.site), s.thread, r.begin, r.create_cost);
  extend(w, fork);
  RegionWalk walk{};
  walk.region = s.ref;
  walk.fork = fork;
  walk.members = active_.size();
  walk.count = r.members;
  for (uint32_t m = 0; m < r.members; ++m) {
    uint32_t c = rec_.members[r.first_member + m];
    active_.push_back({c, rec_.contexts[c].first_step, fork, EdgeKind::creation, false, kNone});
  }
  frames_.push_back({Pending::region, uint32_t(regions_.size()), kNone, kNone});
  regions_.push_back(walk);
  // Orphans of this region, if any, come first.
  auto [first, last] = std::equal_range(rec_.orphans.begin(), rec_.orphans.end(), Orphan{s.ref, kNone, kNone},
                                        [](const Orphan& a, const Orphan& b) { return a.region < b.region; });
  if (first != last) frames_.push_back({Pending::orphans, uint32_t(first - rec_.orphans.begin()), s.ref, fork});
}

// A member has come to a barrier of the team, or to its end.
void GraphBuilder::suspend_member(Walker& walker, const Step* barrier) {
  Walker w = std::move(walker);  // its table ends here: all that is created after the barrier follows all before it
  walkers_.pop_back();
  frames_.pop_back();
  beside_.stop();
  RegionWalk& r = regions_.back();
  Active& a = active_[r.members + r.next++];
  a = {w.context, w.step, w.prev, w.link, barrier == nullptr, w.stretch};
  List& list = barrier ? r.at_barrier : r.at_end;
  for (size_t i = w.levels; i < levels_.size(); ++i) {
    splice(list, levels_[i].children);
    splice(list, levels_[i].others);
  }
  levels_.resize(w.levels);
  if (!barrier) {
    const Context& c = rec_.contexts[w.context];
    beside_.end({r.region, c.member}, w.prev, c.ended && !c.estimated);
    if (w.prev != r.fork) append(r.at_end, w.prev);
    return;
  }
  r.barrier_source = source_of(barrier->ref);
  r.barrier_time = std::max(r.barrier_time, after(rec_, w, *barrier));
}

void GraphBuilder::run_region() {
  RegionWalk& r = regions_.back();
  if (r.next < r.count) {
    const Active& a = active_[r.members + r.next];
    const uint32_t stretch = a.stretch;
    start(WalkKind::member, a.context, a.step, a.prev, a.link);
    walkers_.back().at_fork = false;
    walkers_.back().stretch = stretch;
    return;
  }
  // All members have come as far as they can. Those at their end take no further part.
  auto first = active_.begin() + long(r.members);
  auto last = std::remove_if(first, active_.end(), [](const Active& a) { return a.done; });
  active_.erase(last, active_.end());
  r.count = uint32_t(active_.size() - r.members);
  r.next = 0;
  if (r.count) {
    uint32_t join = node(NodeKind::join, kNone, r.barrier_source, kNone, r.barrier_time, 0);
    for (size_t i = r.members; i < active_.size(); ++i) {
      edge(active_[i].prev, join, active_[i].link);
      active_[i].prev = join;
      active_[i].link = EdgeKind::continuation;
    }
    join_list(r.at_barrier, join);
    r.barrier_source = kNone;
    r.barrier_time = 0;
    return;
  }
  const RawRegion& raw = rec_.regions[r.region];
  uint32_t source = raw.region != kNone ? out_.regions[raw.region].source : kNone;
  uint32_t join =
      node(NodeKind::join, kNone, source, kNone, raw.region != kNone ? out_.regions[raw.region].end : raw.end, 0);
  splice(r.at_end, r.at_barrier);
  if (r.at_end.head == kNone) edge(r.fork, join, EdgeKind::continuation);  // the streams of all members are missing
  join_list(r.at_end, join);
  regions_.pop_back();
  frames_.pop_back();
  const Pending& below = frames_.back();
  if (below.kind == Pending::walker) walkers_[below.index].prev = join;
  else append(program_end_, join);  // a region that no known thread encountered
}

void GraphBuilder::run_orphans() {
  Pending& f = frames_.back();
  if (f.index >= rec_.orphans.size() || rec_.orphans[f.index].region != f.region_index) {
    frames_.pop_back();
    return;
  }
  const Orphan& o = rec_.orphans[f.index++];
  if (o.own_region != kNone) {
    // start_region() needs a walker and a step: those of a thread that encountered nothing but this region.
    Walker w{};
    w.prev = f.anchor;
    w.link = EdgeKind::continuation;
    Step s{};
    s.ref = o.own_region;
    s.grain = 0;
    s.thread = kNone;
    start_region(w, s);
    return;
  }
  WalkKind kind = rec_.contexts[o.context].kind == ContextKind::foreign ? WalkKind::foreign : WalkKind::task;
  start(kind, o.context, rec_.contexts[o.context].first_step, f.anchor, EdgeKind::creation);
}

// ---- all -----------------------------------------------------------------------------------------------------------

std::vector<ChainLink> GraphBuilder::run() {
  size_t nodes = 2 + 2 * size_t(rec_.regions.size());
  for (uint32_t i = 0; i < rec_.steps.size(); ++i) {
    const Step& s = rec_.steps[i];
    nodes += s.kind != StepKind::none;
    nodes += s.action == Action::fork && s.ref != kNone && joins_at_once(s.ref);
    nodes += s.action == Action::fork || (s.action >= Action::wait_task && s.action <= Action::wait_own);
  }
  // 32-bit node numbers: the decoder's bound on steps keeps within them, and 4 * 10^9 nodes would take 128 GiB.
  if (nodes + 2 * size_t(rec_.depends.size()) >= kNone) return {};
  graph_.nodes.reserve(nodes);
  graph_.edges.reserve(nodes + rec_.tasks.size() + rec_.members.size() + rec_.depends.size());

  if (!rec_.lock_points.empty()) node_of_step_.assign(rec_.steps.size(), kNone);
  // Orphans of the program follow a node before everything else.
  uint32_t context = rec_.initial, step = context == kNone ? kNone : rec_.contexts[context].first_step;
  uint32_t first = kNone;
  auto program = std::lower_bound(rec_.orphans.begin(), rec_.orphans.end(), kNone,
                                  [](const Orphan& o, uint32_t r) { return o.region < r; });
  if (step == kNone || program != rec_.orphans.end()) first = node(NodeKind::fragment, 0, kNone, kNone, 0, 0);
  if (context != kNone) start(WalkKind::root, context, step, first, EdgeKind::continuation);
  if (program != rec_.orphans.end())
    frames_.push_back({Pending::orphans, uint32_t(program - rec_.orphans.begin()), kNone, first});
  while (!frames_.empty()) {
    switch (frames_.back().kind) {
      case Pending::walker: run_walker(); break;
      case Pending::region: run_region(); break;
      case Pending::orphans: run_orphans(); break;
    }
  }
  if (context == kNone && program_end_.head != kNone) {
    uint32_t join = node(NodeKind::join, 0, kNone, kNone, rec_.end, 0);
    edge(first, join, EdgeKind::continuation);
    join_list(program_end_, join);
  }
  std::erase_if(sets_, [](const ExclusiveSet& s) { return s.grains.size() < 2; });
  out_.exclusive = std::move(sets_);
  if (!graph_.stretches.empty()) graph_.stretch_of.resize(graph_.nodes.size(), kNone);
  if (!in_turn_.empty()) graph_.in_turn.resize(graph_.nodes.size());
  for (const uint32_t n : in_turn_) graph_.in_turn[n] = true;
  std::vector<Edge> more = edges_of_turns(std::move(turns_), out_);
  beside_.add_to(more);
  iterations_.add_to(more);
  completions_.add_to(more);
  hand_.add_to(more);
  add_late_edges(more, graph_, chains_, node_of_step_);
  place_lock_points(rec_, node_of_step_, out_);
  return std::move(chains_);
}

}  // namespace graph_parts

std::vector<ChainLink> build_graph(const Recording& rec, const std::vector<uint32_t>& site_source, Profile& out) {
  return graph_parts::GraphBuilder(rec, site_source, out).run();
}

}  // namespace einkorn::profile
