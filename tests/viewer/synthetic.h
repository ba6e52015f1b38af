// Builds profiles without a recording: a program is told as a sequence of calls (fork, begin, end, wait, ...), and its
// grains and grain graph come out as the profile reader would give them. For the tests of layout and page.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>
#include "profile/state_bins.h"
#include "profile/types.h"

namespace einkorn::synthetic {

using namespace profile;

class Program {
 public:
  Program() {
    profile_.program = "synthetic";
    profile_.argv = {"synthetic"};
    profile_.runtime = "einkorn 0.1.0";
    profile_.totals.complete = true;
    profile_.cpus = 4;
    Grain initial;
    initial.kind = GrainKind::initial;
    initial.thread = 0;
    initial.begin = 0;
    profile_.grains.push_back(initial);
    contexts_.push_back({0, kNone, EdgeKind::continuation, 0, {}});
  }

  uint32_t source(std::string file, uint32_t line, std::string function, std::string construct) {
    Source s;
    s.file = std::move(file);
    s.line = line;
    s.function = std::move(function);
    s.construct = std::move(construct);
    s.module = "/nowhere/synthetic";
    s.address = 0x1000 + profile_.sources.size() * 16;
    profile_.sources.push_back(std::move(s));
    return uint32_t(profile_.sources.size()) - 1;
  }

  // ---- tasks. The innermost begun task is the current one.
  void work(int64_t ns) { append({NodeKind::fragment, false, current().grain, kNone, current().thread, now_, ns}); }

  // Creates and enters a child task; what follows is its body until end().
  void begin(uint32_t source, uint32_t thread, int64_t cost = 120) {
    const uint32_t creator = current().thread, parent = owner();
    append({NodeKind::fork, false, current().grain, source, creator, now_, cost});
    const uint32_t child = grain(GrainKind::task, parent, source, thread);
    Grain& g = profile_.grains[child];
    g.creator = creator;
    g.create_begin = now_ - cost;
    g.create_cost = cost;
    contexts_.push_back({child, current().last, EdgeKind::creation, thread, {}});
  }

  // Its children that nobody waited for go up: to be joined by the next barrier.
  void end() {
    Context child = std::move(contexts_.back());
    contexts_.pop_back();
    profile_.grains[child.grain].end = now_;
    current().children.push_back(child.last);
    rogue_.insert(rogue_.end(), child.children.begin(), child.children.end());
  }

  void wait(uint32_t source) {
    append({NodeKind::join, false, current().grain, source, current().thread, now_, 0});
    for (const uint32_t c : current().children) edge(c, current().last, EdgeKind::join);
    current().children.clear();
  }

  // A taskgroup waits for what was created in it, and for the descendants of that.
  struct Group {
    size_t children, rogue;
  };
  Group group_begin() { return {current().children.size(), rogue_.size()}; }
  void group_end(const Group& group, uint32_t source) {
    append({NodeKind::join, false, current().grain, source, current().thread, now_, 0});
    auto join_since = [&](std::vector<uint32_t>& ends, size_t mark) {
      mark = std::min(mark, ends.size());
      for (size_t i = mark; i < ends.size(); ++i) edge(ends[i], current().last, EdgeKind::join);
      ends.resize(mark);
    };
    join_since(current().children, group.children);
    join_since(rogue_, group.rogue);
  }

  // ---- regions. Between region_begin and region_end, member(i) says whose turn it is.
  void region_begin(uint32_t source, uint32_t team) {
    append({NodeKind::fork, false, current().grain, source, current().thread, now_, 900});
    profile_.regions.push_back({owner(), source, uint32_t(profile_.regions.size()), team, 1, now_, -1});
    const uint32_t fork = current().last;
    outside_ = std::move(contexts_);
    contexts_.clear();
    members_.clear();
    for (uint32_t i = 0; i < team; ++i) {
      const uint32_t implicit = grain(GrainKind::implicit, outside_.back().grain, source, i);
      members_.push_back({{implicit, fork, EdgeKind::creation, i, {}}, implicit});
    }
  }

  void member(uint32_t i) {
    leave_member();
    member_ = i;
    contexts_.push_back(std::move(members_[i].context));
  }

  // What the member does now is a share of its own.
  void share(uint32_t source) {
    current().grain = grain(GrainKind::share, members_[member_].implicit, source, member_);
  }

  void chunk(uint32_t source, uint32_t loop, int64_t first, int64_t n, int64_t ns) {
    const uint32_t t = current().thread;
    append({NodeKind::bookkeeping, false, members_[member_].implicit, source, t, now_, 60});
    const uint32_t c = grain(GrainKind::chunk, members_[member_].implicit, source, t);
    Grain& g = profile_.grains[c];
    g.loop = loop;
    g.first_iteration = first;
    g.iterations = n;
    append({NodeKind::chunk, false, c, source, t, now_, ns});
    profile_.grains[c].end = now_;
  }

  uint32_t loop(uint32_t source, uint64_t iterations, uint32_t chunk) {
    profile_.loops.push_back({uint32_t(profile_.regions.size()) - 1, 0, source, 2, 0, 1, iterations, chunk});
    return uint32_t(profile_.loops.size()) - 1;
  }

  // All members meet (src/profile/graph.h: by continuation edges); tasks that nobody waited for are joined too.
  void barrier(uint32_t source) {
    leave_member();
    const uint32_t join = node({NodeKind::join, false, kNone, source, kNone, now_, 0});
    for (auto& m : members_) {
      edge(m.context.last, join, m.context.edge);
      for (const uint32_t c : m.context.children) edge(c, join, EdgeKind::join);
      m.context.children.clear();
      m.context.last = join;
      m.context.edge = EdgeKind::continuation;
    }
    for (const uint32_t c : rogue_) edge(c, join, EdgeKind::join);
    rogue_.clear();
  }

  void region_end(uint32_t source) {
    leave_member();
    const uint32_t join = node({NodeKind::join, false, kNone, source, kNone, now_, 0});
    for (auto& m : members_) {
      profile_.grains[m.implicit].end = now_;
      if (m.context.edge == EdgeKind::continuation) edge(m.context.last, join, EdgeKind::join);
      for (const uint32_t c : m.context.children) edge(c, join, EdgeKind::join);
    }
    for (const uint32_t c : rogue_) edge(c, join, EdgeKind::join);
    rogue_.clear();
    profile_.regions.back().end = now_;
    contexts_ = std::move(outside_);
    current().last = join;
    current().edge = EdgeKind::continuation;
    members_.clear();
  }

  Profile finish(uint32_t threads);

 private:
  struct Context {
    uint32_t grain;
    uint32_t last;  // node that the next one follows
    EdgeKind edge;  // by which edge
    uint32_t thread;
    std::vector<uint32_t> children;  // last nodes of ended children, not yet waited for
  };
  struct Member {
    Context context;
    uint32_t implicit;
  };

  Context& current() { return contexts_.back(); }
  // A share creates nothing: its implicit task does.
  uint32_t owner() {
    const Grain& g = profile_.grains[current().grain];
    return g.kind == GrainKind::share ? g.parent : current().grain;
  }

  void leave_member() {
    if (contexts_.empty()) return;
    members_[member_].context = std::move(contexts_.back());
    contexts_.pop_back();
  }

  uint32_t grain(GrainKind kind, uint32_t parent, uint32_t source, uint32_t thread) {
    Grain g;
    g.kind = kind;
    g.parent = parent;
    g.source = source;
    g.thread = thread;
    g.cpu = uint16_t(thread);
    g.node = 0;
    g.begin = now_;
    const uint32_t index = uint32_t(profile_.grains.size());
    Grain& up = profile_.grains[parent];
    g.ordinal = up.children++;
    g.depth = up.depth + (up.kind == GrainKind::task ? 1 : 0);
    g.region = profile_.regions.empty() ? kNone : uint32_t(profile_.regions.size()) - 1;
    // Any mixing will do: ids must differ and be the same in every run.
    g.id_high = (up.id_high ^ (g.ordinal + 1)) * 0x9e3779b97f4a7c15u + 0x7f4a7c15u;
    g.id_low = (up.id_low + g.ordinal + 1) * 0xbf58476d1ce4e5b9u;
    profile_.grains.push_back(g);
    return index;
  }

  uint32_t node(Node n) {
    if (n.kind == NodeKind::fragment || n.kind == NodeKind::chunk) {
      Grain& g = profile_.grains[n.grain];
      g.exec += n.weight;
      ++g.fragments;
    }
    now_ += n.weight;
    profile_.graph.nodes.push_back(n);
    return uint32_t(profile_.graph.nodes.size()) - 1;
  }
  void append(Node n) {
    const uint32_t i = node(n);
    if (current().last != kNone) edge(current().last, i, current().edge);
    current().last = i;
    current().edge = EdgeKind::continuation;
  }
  void edge(uint32_t from, uint32_t to, EdgeKind kind) { profile_.graph.edges.push_back({from, to, kind}); }

  Profile profile_;
  std::vector<Context> contexts_, outside_;
  std::vector<Member> members_;
  std::vector<uint32_t> rogue_;  // last nodes of tasks whose parents ended without waiting
  uint32_t member_ = 0;
  int64_t now_ = 0;
};

// Marks the critical path and fills in the totals.
inline Profile Program::finish(uint32_t threads) {
  Profile& p = profile_;
  p.grains[0].end = now_;
  std::stable_sort(p.graph.edges.begin(), p.graph.edges.end(),
                   [](const Edge& a, const Edge& b) { return a.from < b.from; });
  const auto executes = [](const Node& n) { return n.kind == NodeKind::fragment || n.kind == NodeKind::chunk; };
  std::vector<int64_t> reach(p.graph.nodes.size(), 0);  // longest way to the begin of each node
  std::vector<uint32_t> before(p.graph.nodes.size(), kNone);
  uint32_t last = 0;
  int64_t span = 0, work = 0, overhead = 0;
  size_t e = 0;
  for (uint32_t n = 0; n < p.graph.nodes.size(); ++n) {
    const Node& node = p.graph.nodes[n];
    (executes(node) ? work : overhead) += node.weight;
    const int64_t end = reach[n] + (executes(node) ? node.weight : 0);
    if (end >= span) span = end, last = n;
    for (; e < p.graph.edges.size() && p.graph.edges[e].from == n; ++e) {
      const uint32_t to = p.graph.edges[e].to;
      if (end >= reach[to]) reach[to] = end, before[to] = n;
    }
  }
  for (uint32_t n = last; n != kNone && !p.graph.nodes.empty(); n = before[n]) p.graph.nodes[n].critical = true;
  p.critical_path_ns = p.burdened_path_ns = span;
  p.parallelism = span > 0 ? double(work) / double(span) : 0;
  const int64_t busy = (work + overhead) / threads;
  p.wall_ns = std::max({span, busy * 21 / 20, now_});
  for (uint32_t t = 0; t < threads; ++t) {
    Thread thread;
    thread.os_tid = 4000 + t;
    thread.initial = t == 0;
    thread.begin = 0;
    thread.end = thread.in_team = p.wall_ns;
    thread.times[int(State::work)] = work / threads;
    thread.times[int(State::overhead)] = overhead / threads;
    thread.times[int(State::idle)] = p.wall_ns - work / threads - overhead / threads;
    for (int s = 0; s < kStates; ++s) p.thread_time[s] += thread.times[s];
    p.threads.push_back(thread);
  }
  for (const Grain& g : p.grains) {
    p.totals.tasks += g.kind == GrainKind::task;
    p.totals.chunks += g.kind == GrainKind::chunk;
    p.totals.shares += g.kind == GrainKind::share;
  }
  p.totals.regions = p.regions.size();
  profile::StateBinsBuilder states;  // one thing happens at a time: the other threads idle
  for (const Node& n : p.graph.nodes) {
    if (n.begin < 0 || n.weight <= 0 || n.thread == kNone) continue;
    const State state = n.grain == 0 ? State::serial : executes(n) ? State::work : State::overhead;
    for (uint32_t t = 0; t < threads; ++t)
      states.add(t, t == n.thread ? state : State::idle, n.begin, n.begin + n.weight);
  }
  p.state_bins = states.finish(threads, now_);
  return std::move(profile_);
}

}  // namespace einkorn::synthetic
