#include "simulate/from_profile.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "record/format.h"
#include "simulate/builder.h"
#include "simulate/counted.h"
#include "simulate/footprints.h"
#include "simulate/loop_rule.h"
#include "simulate/nested.h"
#include "simulate/node_edges.h"
#include "simulate/signals.h"
#include "simulate/split_times.h"

namespace einkorn::simulate {

namespace {

using profile::Edge;
using profile::EdgeKind;
using profile::Grain;
using profile::GrainKind;
using profile::Node;
using profile::NodeKind;

// Walks the grain graph in its order, which is the program's serial one: a task's fork comes before all of its nodes.
class Taking {
 public:
  Taking(const profile::Profile& p, const Change& change)
      : p_(p),
        edges_(p.graph),
        change_(change),
        b_(p.program),
        task_of_(p.grains.size(), kNone),
        first_member_(p.regions.size(), kNone),
        members_(p.regions.size(), 0),
        loops_of_(p.regions.size()),
        chunks_(p.loops.size()),
        ordered_(p.loops.size()),
        stepped_(p.loops.size()),
        flat_(p.regions.size(), 0),
        counted_(p) {
    task_of_[0] = Builder::kInitial;
    // Every member is a thread: what a damaged recording says beyond that is not to be made.
    const uint32_t most = std::max<uint32_t>(1, uint32_t(p.threads.size()));
    for (const profile::Region& r : p.regions) members_[size_t(&r - p.regions.data())] = std::clamp(r.team, 1u, most);
    for (const Grain& g : p.grains)
      if (g.kind == GrainKind::implicit && g.region < members_.size() && g.ordinal < most)
        members_[g.region] = std::max(members_[g.region], g.ordinal + 1);
    for (uint32_t l = 0; l < p.loops.size(); ++l)
      if (p.loops[l].region < loops_of_.size()) loops_of_[p.loops[l].region].push_back(l);
    for (auto& loops : loops_of_)
      std::sort(loops.begin(), loops.end(),
                [&](uint32_t a, uint32_t b) { return p.loops[a].ordinal < p.loops[b].ordinal; });
    flat_ = regions_of_callers(p, members_);
    if (change.recorded_on && change.touches) take_footprints();
    for (size_t l = 0; l < p.locks.size(); ++l) b_.lock();
    stopped_ = nodes_stopped(p);
  }

  Program run() {
    for (uint32_t n = 0; n < p_.graph.nodes.size(); ++n) take(n);
    add_loops();
    add_sets();
    for (const auto& [task, held] : held_) drop(held);
    for (const auto& [step, to] : signals_)
      if (const uint32_t t = task_of_node(to); t != kNone && !b_.task(t).undeferred) b_.aim(step, t);
    Program out = b_.finish();
    if (!timed_.empty()) split_times(out, std::move(timed_), *change_.recorded_on, recorded_threads(p_));
    return out;
  }

 private:
  struct Held {
    uint32_t lock;
    size_t point;  // in the builder's
  };
  void drop(const std::vector<Held>& held) {
    for (const Held& h : held) b_.lock_points()[h.point].lock = kNone;
  }

  void take_footprints() {
    said_ = footprints_of(*change_.touches, p_.grains.size());
    b_.take_data(said_.data, said_.blocks);
    longest_.assign(said_.first.size(), kNone);
    for (uint32_t n = 0; n < p_.graph.nodes.size(); ++n) {
      const Node& node = p_.graph.nodes[n];
      if (node.kind != NodeKind::fragment || !said_.knows(node.grain)) continue;
      uint32_t& best = longest_[node.grain];
      if (best == kNone || node.weight > p_.graph.nodes[best].weight) best = n;
    }
  }

  template <class Use>
  void each_in(uint32_t n, Use&& use) const {
    edges_.each_in(n, use);
  }
  template <class Use>
  void each_out(uint32_t n, Use&& use) const {
    edges_.each_out(n, use);
  }

  // The simulated task whose steps a grain's nodes are.
  uint32_t task_of_grain(uint32_t grain) const {
    const uint32_t g = context_of(p_, grain);
    return g == profile::kNone ? kNone : task_of_[g];
  }
  uint32_t task_of_node(uint32_t n) const {
    if (p_.graph.nodes[n].kind == NodeKind::joint) {
      auto it = joints_.find(n);
      return it == joints_.end() ? kNone : it->second;
    }
    return task_of_grain(p_.graph.nodes[n].grain);
  }

  double time_of(const Node& node) const {
    const uint32_t source = node.grain == profile::kNone ? profile::kNone : p_.grains[node.grain].source;
    const double by = source < change_.speedup.size() ? change_.speedup[source] : 1;
    const double longer = source < change_.longer.size() ? change_.longer[source] : 1;
    int64_t ns = node.weight;
    if (auto at = stopped_.find(uint32_t(&node - p_.graph.nodes.data())); at != stopped_.end()) ns -= at->second;
    return double(std::max<int64_t>(0, ns)) * longer / by;
  }

  void take(uint32_t n) {
    const Node& node = p_.graph.nodes[n];
    const uint32_t task = node.kind == NodeKind::joint ? task_of_node(n) : task_of_grain(node.grain);
    each_in(n, [&](const Edge& e) {
      // Of chunks: their turn in an ordered loop.
      if (e.kind != EdgeKind::dependence || node.kind == NodeKind::chunk || is_signal(e)) return;
      const uint32_t before = task_of_node(e.from);
      if (before != kNone && task != kNone && are_members(before, task)) {
        if (auto at = signal_of_.find(e.from); at != signal_of_.end()) b_.await(task, at->second);
        return;
      }
      if (before == kNone || task == kNone || !b_.task(before).explicit_task || !b_.task(task).explicit_task) return;
      // An undeferred task's creator has waited, in a join before the fork.
      if (before < task && !b_.task(task).undeferred) b_.depend(before, task);
    });
    const uint32_t owner = chunk_around(node);
    if (owner != kNone) {
      if (node.kind == NodeKind::fragment || node.kind == NodeKind::chunk) {
        chunks_[p_.grains[owner].loop].push_back({p_.grains[owner].first_iteration, n, owner});
        whole_.insert(owner);
      }
      if (node.kind == NodeKind::fragment || node.kind == NodeKind::chunk || node.kind == NodeKind::bookkeeping) return;
    }
    switch (node.kind) {
      case NodeKind::fragment:
        if (task != kNone && node.weight > 0) fragment(n, task);
        break;
      case NodeKind::fork:
        if (task != kNone) fork(n, task);
        break;
      case NodeKind::join:
        if (node.grain == profile::kNone) barrier(n);
        else if (task != kNone) wait(n, task);
        break;
      case NodeKind::bookkeeping:
        if (task != kNone) bookkeeping(node, task);
        break;
      case NodeKind::chunk: chunk(n, node, task); break;
      case NodeKind::joint: break;
    }
    if (task != kNone) post(n, task);
    if (task != kNone && node.grain != profile::kNone) counted_.make(b_, context_of(p_, node.grain), task);
  }

  // The chunk of an outer region in which the node's region was met, which is not active; kNone: none.
  uint32_t chunk_around(const Node& node) const {
    if (chunk_of_.empty() || node.grain == profile::kNone) return kNone;
    const Grain& g = p_.grains[node.grain];
    if (g.kind != GrainKind::share && g.kind != GrainKind::chunk) return kNone;
    const auto at = chunk_of_.find(g.region);
    return at == chunk_of_.end() || p_.grains[at->second].loop >= chunks_.size() ? kNone : at->second;
  }

  bool is_completion(uint32_t n) const { return simulate::is_completion(p_, edges_, n); }
  // Of one team: what one does comes behind what the other has done.
  bool are_members(uint32_t a, uint32_t b) {
    return a != Builder::kInitial && b != Builder::kInitial && !b_.task(a).explicit_task && !b_.task(b).explicit_task;
  }
  bool is_signal(const Edge& e) const { return simulate::is_signal(p_, edges_, e); }

  bool has_signals(uint32_t n) const {
    bool has = false;
    each_in(n, [&](const Edge& e) { has |= is_signal(e); });
    return has;
  }

  // Others wait for the node: of its team, or a firing that it signals. A chunk's signals come when its member's part
  // in the loop is over: tasks that chunks make are made then, too.
  void post(uint32_t n, uint32_t task) {
    bool waited_for = false;
    each_out(n, [&](const Edge& e) {
      if (is_signal(e)) return signals_.emplace_back(b_.release(task), e.to), void();
      if (e.kind != EdgeKind::dependence || p_.graph.nodes[e.to].kind == NodeKind::chunk) return;
      const uint32_t after = task_of_node(e.to);
      waited_for |= after != kNone && after != task && are_members(task, after);
    });
    if (!waited_for) return;
    signal_of_[n] = b_.signal();
    b_.post(task, signal_of_[n]);
  }

  bool is_codelet(uint32_t source) const {
    return source < p_.sources.size() && p_.sources[source].construct == "codelet";
  }

  float memory_of(const Node& node) const {
    // Outside of regions it has run alone, and will: whatever it waited for, it shares with nobody.
    if (node.grain != profile::kNone && p_.grains[node.grain].kind == GrainKind::initial) return 0;
    const uint32_t source = node.grain == profile::kNone ? profile::kNone : p_.grains[node.grain].source;
    return source < change_.memory.size() ? change_.memory[source] : kUnknown;
  }

  void fragment(uint32_t n, uint32_t task) {
    const Node& node = p_.graph.nodes[n];
    add_fragment(n, node, task);
    if (!p_.lock_points.empty()) take_locks(n, held_[task], false);
  }

  // The locks that are taken and released in a node, to the latest step or chunk, of which `before` ns come first.
  // `held`: before it, and after it.
  void take_locks(uint32_t n, std::vector<Held>& held, bool in_chunk, double before = 0) {
    const Node& node = p_.graph.nodes[n];
    const double all = time_of(node), faster = all > 0 ? double(node.weight) / all : 1;
    auto p = std::lower_bound(p_.lock_points.begin(), p_.lock_points.end(), n,
                              [](const profile::LockPoint& x, uint32_t m) { return x.node < m; });
    for (double at = 0; p != p_.lock_points.end() && p->node == n; ++p) {
      const auto its = std::find_if(held.rbegin(), held.rend(), [&](const Held& h) { return h.lock == p->lock; });
      if (p->lock >= p_.locks.size() || (!p->taken && its == held.rend())) continue;
      at = std::clamp(double(p->at) / faster, at, all);
      b_.lock_point(before + at, p->lock, p->taken, in_chunk);
      if (p->taken) held.push_back({p->lock, b_.lock_points().size() - 1});
      else held.erase(std::next(its).base());
    }
  }

  void add_fragment(uint32_t n, const Node& node, uint32_t task) {
    if (!said_.knows(node.grain)) return b_.compute(task, time_of(node), memory_of(node));
    if (longest_[node.grain] != n) return b_.compute(task, time_of(node), 0);
    const uint32_t first = said_.first[node.grain], count = said_.first[node.grain + 1] - first;
    std::vector<Access> accesses(said_.accesses.begin() + first, said_.accesses.begin() + first + count);
    const double faster = double(node.weight) / time_of(node);  // a what-if is about memory's part, too
    if (faster != 1)
      for (Access& a : accesses) a.bytes = uint64_t(double(a.bytes) / faster);
    b_.compute(task, time_of(node), accesses);
    timed_.push_back({node.begin, node.thread, b_.latest_access(), count, time_of(node)});
  }

  void fork(uint32_t n, uint32_t task) {
    each_out(n, [&](const Edge& e) {
      if (e.kind != EdgeKind::creation || p_.graph.nodes[e.to].kind != NodeKind::joint || is_completion(e.to)) return;
      joints_[e.to] = b_.fork(task);
      b_.task(joints_[e.to]).codelet = is_codelet(p_.graph.nodes[n].source);
    });
    each_out(n, [&](const Edge& e) {
      const Node& to = p_.graph.nodes[e.to];
      if (e.kind != EdgeKind::creation || to.kind == NodeKind::joint) return;
      const uint32_t g = context_of(p_, to.grain);
      if (g == profile::kNone) return;
      const Grain& grain = p_.grains[g];
      if (grain.kind == GrainKind::task && task_of_[g] == kNone) {
        // What ran at once by the runtime's choice may be deferred by another team.
        const bool at_once = waited_for(grain) || (grain.depth >= change_.cutoff &&
                                                   !(grain.flags & profile::kHasDepend) && !has_signals(e.to));
        const uint32_t t = b_.fork(task, at_once);
        b_.task(t).grain = g;
        b_.task(t).codelet = is_codelet(grain.source);
        if (g < said_.domain.size()) b_.task(t).domain = said_.domain[g];
        task_of_[g] = t;
        forked_at_[t] = b_.latest();
      } else if (grain.kind == GrainKind::implicit && grain.region < first_member_.size() &&
                 first_member_[grain.region] == kNone) {
        region(n, task, grain.region);
      }
    });
    each_out(n, [&](const Edge& e) {  // behind the tasks whose ends they are
      if (e.kind != EdgeKind::creation || p_.graph.nodes[e.to].kind != NodeKind::joint || !is_completion(e.to)) return;
      joints_[e.to] = b_.fork(task);
      b_.task(joints_[e.to]).codelet = true;
    });
  }

  void region(uint32_t n, uint32_t task, uint32_t r) {
    region_of_[n] = r;
    if (flat_[r]) {
      const uint32_t by = p_.graph.nodes[n].grain;
      if (by != profile::kNone) {
        if (p_.grains[by].kind == GrainKind::chunk) chunk_of_[r] = by;
        else if (auto at = chunk_of_.find(p_.grains[by].region); at != chunk_of_.end()) chunk_of_[r] = at->second;
      }
      for (uint32_t g = 0; g < p_.grains.size(); ++g)
        if (p_.grains[g].kind == GrainKind::implicit && p_.grains[g].region == r) task_of_[g] = task;
      flat_task_[r] = task;
      return;
    }
    first_member_[r] = b_.region(task, members_[r]);
    b_.latest_region().named = p_.regions[r].team_named;
    b_.latest_region().plain = plain_of(p_, r);
    if (implicit_of_.empty()) {
      implicit_of_.resize(p_.regions.size());
      for (uint32_t g = 0; g < p_.grains.size(); ++g)
        if (p_.grains[g].kind == GrainKind::implicit && p_.grains[g].region < implicit_of_.size())
          implicit_of_[p_.grains[g].region].push_back(g);
    }
    for (const uint32_t g : implicit_of_[r]) {
      if (p_.grains[g].ordinal >= members_[r]) continue;
      task_of_[g] = first_member_[r] + p_.grains[g].ordinal;
      b_.task(task_of_[g]).grain = g;
    }
  }

  // A wait of one context: for the tasks that are joined here.
  void wait(uint32_t n, uint32_t task) {
    uint32_t group = kNone;
    size_t first_fork = SIZE_MAX;  // of its tasks, in this context
    each_in(n, [&](const Edge& e) {
      const uint32_t t = e.kind == EdgeKind::join ? task_of_node(e.from) : kNone;
      if (t == kNone || !b_.task(t).explicit_task || b_.task(t).group != kNone) return;
      if (b_.task(t).grain != kNone && waited_for(p_.grains[b_.task(t).grain])) return;  // its fork has waited
      if (group == kNone) group = b_.group();
      b_.task(t).group = group;
      if (b_.task(t).parent == task)
        if (auto at = forked_at_.find(t); at != forked_at_.end()) first_fork = std::min(first_fork, at->second);
    });
    const uint32_t source = p_.graph.nodes[n].source;
    if (source >= p_.sources.size() || p_.sources[source].construct != "task") counted_.wait(b_, task, group);
    if (group == kNone) return;
    b_.wait_group(task, group, source);
    if (first_fork != SIZE_MAX && source < p_.sources.size() && p_.sources[source].construct == "taskgroup")
      b_.open_group_before(first_fork);
  }

  // A join of a whole team: a barrier, if members go on from it; the region's end is there already.
  void barrier(uint32_t n) {
    uint32_t r = kNone;
    each_in(n, [&](const Edge& e) {
      if (e.kind == EdgeKind::join || e.kind == EdgeKind::dependence || r != kNone) return;
      if (auto it = region_of_.find(e.from); it != region_of_.end()) {
        r = it->second;
      } else if (const uint32_t g = context_of(p_, p_.graph.nodes[e.from].grain); g != profile::kNone) {
        if (p_.grains[g].kind == GrainKind::implicit) r = p_.grains[g].region;
      }
    });
    if (r < flat_.size() && flat_[r]) {
      region_of_[n] = r;
      if (auto at = flat_task_.find(r); at != flat_task_.end() && !chunk_of_.contains(r)) b_.wait(at->second);
      return;
    }
    if (r >= first_member_.size() || first_member_[r] == kNone) return;
    region_of_[n] = r;
    for (uint32_t m = 0; m < members_[r]; ++m) b_.barrier(first_member_[r] + m, p_.graph.nodes[n].source);
  }

  // Book-keeping that follows no chunk begins a member's part in its team's next loop.
  void bookkeeping(const Node& node, uint32_t task) {
    const bool goes_on = after_chunk_[task];
    after_chunk_[task] = false;
    if (goes_on) return;
    const uint32_t g = context_of(p_, node.grain);
    const uint32_t r = g == profile::kNone ? kNone : p_.grains[g].region;
    if (r >= loops_of_.size()) return;
    uint32_t& met = loops_met_[task];
    if (met < loops_of_[r].size()) b_.run_loop(task, loops_of_[r][met]);
    ++met;
  }
  void chunk(uint32_t n, const Node& node, uint32_t task) {
    if (task != kNone) after_chunk_[task] = true;
    const Grain& g = p_.grains[node.grain];
    if (g.loop >= chunks_.size()) return;
    chunks_[g.loop].push_back({g.first_iteration, n, node.grain});
    if (in_turn(n)) ordered_[g.loop] = true;
    else each_in(n, [&](const Edge& e) { stepped_[g.loop] = stepped_[g.loop] || is_iteration(e); });
  }
  bool is_iteration(const Edge& e) const {
    return e.kind == EdgeKind::dependence && p_.graph.nodes[e.to].kind == NodeKind::chunk &&
           p_.graph.nodes[e.from].kind == NodeKind::chunk && !in_turn(e.to);
  }
  uint32_t signal_of(uint32_t n) {
    const auto [at, fresh] = signal_of_.try_emplace(n, 0);
    if (fresh) at->second = b_.signal();
    return at->second;
  }
  void add_iterations(uint32_t n, double at, bool awaited) {
    bool posts = false;
    if (awaited)
      each_in(n, [&](const Edge& e) {
        if (is_iteration(e)) b_.step_point(at, signal_of(e.from), true);
      });
    else each_out(n, [&](const Edge& e) { posts |= is_iteration(e); });
    if (posts) b_.step_point(at, signal_of(n), false);
  }
  bool in_turn(uint32_t n) const { return !p_.graph.in_turn.empty() && p_.graph.in_turn[n]; }

  // Of several stretches of a chunk (it waited, or made tasks) each is one, of which the first has its iterations. Of
  // an ordered loop all are one, and what it had its turn for comes last: the turn excludes others, so locks are not
  // taken in it.
  void add_chunk(uint32_t n, uint32_t owner, bool first, bool ordered) {
    const Node& node = p_.graph.nodes[n];
    const int64_t iterations = first ? p_.grains[owner].iterations : 0;
    const uint32_t loop = p_.grains[owner].loop;
    if (first || !(ordered || stepped_[loop] || whole_.contains(owner)))
      b_.chunk(0, memory_of(node), uint64_t(std::max<int64_t>(0, iterations)));
    Chunk& chunk = b_.latest_chunk();
    if (stepped_[loop]) add_iterations(n, chunk.ns, true);
    if (ordered && in_turn(n)) {
      chunk.in_turn += time_of(node);
      return;
    }
    std::vector<Held> held;
    if (!p_.lock_points.empty()) take_locks(n, held, true, chunk.ns);
    drop(held);  // nothing is held between chunks
    chunk.ns += time_of(node);
    if (stepped_[loop]) add_iterations(n, chunk.ns, false);
  }

  void add_loops() {
    for (uint32_t l = 0; l < p_.loops.size(); ++l) {
      const auto kind = record::Schedule(p_.loops[l].schedule);
      const bool dealt = kind == record::Schedule::static_ || kind == record::Schedule::static_chunked ||
                         kind == record::Schedule::distribute;
      // In turn, what is dealt out in rounds is taken as it would be by who asks.
      const bool fixed = dealt && !(ordered_[l] && kind == record::Schedule::static_chunked);
      const bool by_rule = kind == record::Schedule::guided;
      const bool rounds = fixed && kind == record::Schedule::static_chunked && chunks_are_single(p_, l, chunks_[l]);
      b_.loop(rounds    ? LoopSchedule::rounds
              : fixed   ? LoopSchedule::fixed
              : by_rule ? LoopSchedule::by_rule
                        : LoopSchedule::on_demand);
      b_.latest_loop().batched = kind == record::Schedule::dynamic && !ordered_[l] && !stepped_[l];
      if (const uint32_t r = p_.loops[l].region; r < p_.regions.size()) b_.latest_loop().members = members_[r];
      b_.latest_loop().least = std::max(1u, p_.loops[l].chunk);
      b_.latest_loop().ordered = ordered_[l];
      b_.latest_loop().stepped = stepped_[l];
      std::sort(chunks_[l].begin(), chunks_[l].end());
      if (by_rule) find_rule(p_, l, chunks_[l], b_.latest_loop());
      uint32_t latest = kNone;  // grain
      for (const LoopChunk& c : chunks_[l])
        add_chunk(c.node, c.grain, std::exchange(latest, c.grain) != c.grain, ordered_[l]);
    }
  }

  void add_sets() {
    for (const profile::ExclusiveSet& s : p_.exclusive) {
      const uint32_t set = b_.set();
      for (const uint32_t g : s.grains)
        if (task_of_[g] != kNone && b_.task(task_of_[g]).explicit_task) b_.exclude(task_of_[g], set);
    }
  }

  const profile::Profile& p_;
  const NodeEdges edges_;
  const Change& change_;
  Builder b_;
  std::vector<uint32_t> task_of_;                     // by grain
  std::vector<uint32_t> first_member_;                // by region, simulated
  std::vector<uint32_t> members_;                     // by region, how many
  std::vector<std::vector<uint32_t>> implicit_of_;    // by region: grains
  std::vector<std::vector<uint32_t>> loops_of_;       // by region, in the order in which members meet them
  std::vector<LoopChunks> chunks_;                    // by loop
  std::vector<bool> ordered_, stepped_;               // by loop
  std::vector<uint8_t> flat_;                         // by region: of one, and others are in it
  std::unordered_map<uint32_t, uint32_t> flat_task_;  // of these: who has met it
  std::unordered_map<uint32_t, uint32_t> chunk_of_;   // of these, where met in one: the chunk's grain
  std::unordered_set<uint32_t> whole_;                // chunks in which such are: one piece each
  std::unordered_map<uint32_t, int64_t> stopped_;     // nodes: ns that their threads were stopped
  CountedTasks counted_;
  std::unordered_map<uint32_t, std::vector<Held>> held_;  // by task: taken, and not released yet
  Footprints said_;
  std::vector<uint32_t> longest_;  // by grain: its longest stretch, where it has a footprint
  std::vector<Timed> timed_;
  std::unordered_map<uint32_t, uint32_t> joints_;     // node -> task
  std::unordered_map<uint32_t, uint32_t> region_of_;  // forks and barriers of regions: node -> region
  std::unordered_map<uint32_t, bool> after_chunk_;    // by task: its latest node was a chunk
  std::unordered_map<uint32_t, uint32_t> loops_met_;  // by member
  std::unordered_map<uint32_t, uint32_t> signal_of_;  // nodes that others of the team wait for
  std::unordered_map<uint32_t, size_t> forked_at_;    // by task: its fork, in the builder's steps
  std::vector<std::pair<size_t, uint32_t>> signals_;  // of codelets by hand: the builder's step, the firing's node
};

}  // namespace

Program from_profile(const profile::Profile& profile, const Change& change, std::string& error) {
  error.clear();
  if (profile.graph.nodes.empty() || profile.grains.empty()) {
    error = "the recording has no grain graph";
    return {};
  }
  if (error = why_no_replay(profile); !error.empty()) return {};
  Program out = Taking(profile, change).run();
  if (std::string what = check(out); !what.empty()) error = "the recorded program cannot be replayed: " + what;
  return out;
}

}  // namespace einkorn::simulate
