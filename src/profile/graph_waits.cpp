#include <algorithm>
#include <utility>
#include "profile/graph_builder.h"

namespace einkorn::profile::graph_parts {

void GraphBuilder::wait(Walker& w, const Step& s, uint32_t index) {
  if (s.action == Action::wait_depend) {
    auto it = rec_.depends_of_wait.find(index);
    return wait_depend(w, s, it == rec_.depends_of_wait.end() ? kNone : it->second);
  }
  uint32_t join = node(NodeKind::join, s.grain, source_of(s.ref), s.thread, after(rec_, w, s), 0);
  extend(w, join);
  if (s.action == Action::wait_task) {
    for (size_t i = w.dirty; i < levels_.size(); ++i) join_list(levels_[i].children, join);
    w.dirty = levels_.size() - 1;
    if (w.table) w.table->clear();
    if (s.ref < rec_.sites.size() && rec_.sites[s.ref].construct == record::Construct::stretch) begin_stretch(w, s.ref);
  } else if (s.action == Action::wait_group) {
    join_list(top_level().children, join);
    join_list(top_level().others, join);
    if (w.codelets) w.codelets->clear();
    if (levels_.size() - 1 > w.levels) levels_.pop_back();
    w.dirty = std::min(w.dirty, levels_.size() - 1);
  }
}

// ---- dependences ---------------------------------------------------------------------------------------------------

void GraphBuilder::take_preds(uint32_t n, EdgeKind kind) {
  if (preds_.empty()) return;
  std::sort(preds_.begin(), preds_.end());
  preds_.erase(std::unique(preds_.begin(), preds_.end()), preds_.end());
  for (uint32_t p : preds_) edge(p, n, kind);
  preds_.clear();
}

// The mutexinoutset sets of a task, which is in the table. Whoever the creator runs at once has waited for no mutex.
void GraphBuilder::exclude(DependTable& table, const RawTask& task) {
  if (task.grain == kNone || waited_for(out_.grains[task.grain])) return;
  DependTable::Nodes in;
  table.exclusive(task.depends, set_count_, in);
  if (sets_.size() < set_count_) sets_.resize(set_count_);
  for (const uint32_t s : in) {
    if (sets_[s].grains.empty()) sets_[s].source = out_.grains[task.grain].source;
    sets_[s].grains.push_back(task.grain);
    sets_[s].held += out_.grains[task.grain].exec;
  }
}

// A detached task is over with its event: completions.h.
void GraphBuilder::complete(Walker& w) {
  const uint32_t site = rec_.tasks[w.task].site;
  const bool said = site < rec_.sites.size() && rec_.sites[site].flags & record::kSiteDetach;
  if (w.fork == kNone || !(said || completions_.has_event(w.task))) return;
  const uint32_t grain = rec_.tasks[w.task].grain;
  const uint32_t n = node(NodeKind::joint, grain, source_of(site), kNone, graph_.nodes[w.prev].begin, 0);
  edge(w.fork, n, EdgeKind::creation);
  edge(w.prev, n, EdgeKind::dependence);
  completions_.over(w.task, n);
  w.prev = n;
}

// Fills preds_ with the nodes that a task created at `fork` follows; its dependences begin at `first`.
void GraphBuilder::follow(Walker& w, DependTable& table, uint32_t first, uint32_t fork, bool has_body) {
  table.follow(first, has_body, preds_, [&](const std::vector<uint32_t>& members) { return joint(w, fork, members); });
}

// A node that follows all of `members`, created at `fork` in w.
uint32_t GraphBuilder::joint(Walker& w, uint32_t fork, const std::vector<uint32_t>& members) {
  const Node at = graph_.nodes[fork];
  uint32_t n = node(NodeKind::joint, at.grain, at.source, at.thread, at.begin, 0);
  edge(fork, n, EdgeKind::creation);
  std::vector<uint32_t> others = std::exchange(preds_, members);
  take_preds(n, EdgeKind::dependence);
  preds_ = std::move(others);
  append(top_level().children, n);
  w.dirty = std::min(w.dirty, levels_.size() - 1);
  return n;
}

void GraphBuilder::wait_depend(Walker& w, const Step& s, uint32_t first) {
  const Site* site = s.ref < rec_.sites.size() ? &rec_.sites[s.ref] : nullptr;
  if (site && site->flags & record::kSiteNowait) {
    uint32_t fork = node(NodeKind::fork, s.grain, source_of(s.ref), s.thread, s.end, 0);
    extend(w, fork);
    if (first == kNone) return;
    follow(w, *table_of(w, nullptr), first, fork, false);
    w.table->add(first, false, joint(w, fork, std::exchange(preds_, {})));
    return;
  }
  uint32_t join = node(NodeKind::join, s.grain, source_of(s.ref), s.thread, after(rec_, w, s), 0);
  extend(w, join);
  if (!w.table) return;
  w.table->wait(first, preds_);
  take_preds(join, EdgeKind::join);
}

}  // namespace einkorn::profile::graph_parts
