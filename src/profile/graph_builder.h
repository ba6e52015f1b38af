// The walk that makes the grain graph: what it keeps. graph.cpp walks contexts and regions, graph_waits.cpp what waits
// and what follows what.
#pragma once
#include <utility>
#include "profile/beside_edges.h"
#include "profile/completions.h"
#include "profile/graph.h"
#include "profile/graph_parts.h"
#include "profile/hand_edges.h"
#include "profile/iteration_edges.h"
#include "profile/turns.h"

namespace einkorn::profile::graph_parts {

class GraphBuilder {
 public:
  GraphBuilder(const Recording& rec, const std::vector<uint32_t>& sources, Profile& out)
      : rec_(rec), sources_(sources), out_(out), graph_(out.graph) {}
  std::vector<ChainLink> run();

 private:
  uint32_t node(NodeKind kind, uint32_t grain, uint32_t source, uint32_t thread, int64_t begin, int64_t weight) {
    graph_.nodes.push_back({kind, false, grain, source, thread, begin, weight});
    return uint32_t(graph_.nodes.size() - 1);
  }
  void edge(uint32_t from, uint32_t to, EdgeKind kind) { graph_.edges.push_back({from, to, kind}); }
  void extend(Walker& w, uint32_t n) {  // Appends n to w's context
    if (w.prev != kNone) edge(w.prev, n, w.link);
    if (w.at_fork) {
      take_preds(n, EdgeKind::dependence);
      if (w.task != kNone) hand_.begins(w.task, n);
    }
    if (std::exchange(w.behind, false)) beside_.goes_on(n);
    if (std::exchange(w.awaits, false)) iterations_.goes_on(n);
    w.prev = n;
    w.link = EdgeKind::continuation;
    w.at_fork = false;
  }
  uint32_t source_of(uint32_t site) const { return site < sources_.size() ? sources_[site] : kNone; }
  bool joins_at_once(uint32_t task) const {
    return rec_.tasks[task].grain != kNone && waited_for(out_.grains[rec_.tasks[task].grain]);
  }

  void append(List& list, uint32_t n) { lists_.append(list, n); }
  void splice(List& to, List& from) { lists_.splice(to, from); }
  void join_list(List& list, uint32_t join) {
    lists_.take(list, [&](uint32_t n) { edge(n, join, EdgeKind::join); });
  }

  // preds_, in the graph's order, to n.
  void take_preds(uint32_t n, EdgeKind);
  std::unique_ptr<DependTable>& table_of(Walker& w, const RawTask* task) {
    auto& table = task && task->fired != RawTask::Fired::no ? w.codelets : w.table;
    if (!table) table = std::make_unique<DependTable>(rec_.depends);
    return table;
  }
  void follow(Walker& w, DependTable& table, uint32_t first, uint32_t fork, bool has_body);
  uint32_t joint(Walker& w, uint32_t fork, const std::vector<uint32_t>& members);
  void wait_depend(Walker& w, const Step& s, uint32_t first);

  void start(WalkKind kind, uint32_t context, uint32_t step, uint32_t prev, EdgeKind link);
  void start_region(Walker& w, const Step& s);
  void begin_stretch(Walker& w, uint32_t site);
  void beside(Walker& w, const RawBeside& b);
  void iteration(Walker& w, const Step& s);
  void complete(Walker& w);
  void exclude(DependTable& table, const RawTask& task);
  void run_walker();
  bool step(Walker& w);
  void emit_step(Walker& w, const Step& s, uint32_t index);
  void wait(Walker& w, const Step& s, uint32_t index);
  void finish_walker();
  void suspend_member(Walker& w, const Step* barrier);
  void run_region();
  void run_orphans();
  Level& top_level() { return levels_.back(); }

  const Recording& rec_;
  const std::vector<uint32_t>& sources_;
  Profile& out_;
  Graph& graph_;
  std::vector<Pending> frames_;
  std::vector<Walker> walkers_;
  std::vector<RegionWalk> regions_;
  std::vector<Active> active_;
  std::vector<Level> levels_;
  Lists lists_;
  std::vector<ChainLink> chains_;
  std::vector<uint32_t> preds_;         // of the task that was forked last, until its first node is there
  std::vector<uint32_t> node_of_step_;  // empty: nobody asks
  uint32_t next_chain_ = 0;
  std::vector<Turn> turns_;         // of ordered loops, in the order of the walk
  std::vector<uint32_t> in_turn_;   // nodes
  std::vector<ExclusiveSet> sets_;  // of mutexinoutset: by number
  uint32_t set_count_ = 0;
  BesideEdges beside_;
  IterationEdges iterations_;
  Completions completions_{rec_.fulfills};
  HandEdges hand_{rec_.signals};
  List program_end_;  // orphans of the program
};

}  // namespace einkorn::profile::graph_parts
