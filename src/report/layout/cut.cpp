#include "report/layout/cut.h"
#include <algorithm>
#include <fmt/format.h>
#include "report/layout/chains.h"

namespace einkorn::report {
namespace {

using profile::Edge;
using profile::EdgeKind;
using profile::Graph;
using profile::kNone;
using profile::Node;
using profile::NodeKind;

bool executes(const Node& n) { return n.kind == NodeKind::fragment || n.kind == NodeKind::chunk; }

struct Rule {
  uint32_t depth;  // chains at this depth are cut into pieces
  uint64_t piece;  // nodes that a piece stands for, at least
};

// The largest depth at which all shallower nodes, and the pieces of that depth at their fewest, fit into the budget.
Rule choose(const Graph& graph, const Chains& chains, uint64_t budget) {
  const uint32_t depths = *std::max_element(chains.depth.begin(), chains.depth.end()) + 1;
  std::vector<uint64_t> nodes(depths, 0), fewest(depths, 0);
  for (uint32_t c = 0; c < chains.count(); ++c) fewest[chains.depth[c]] += 1;
  for (uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const uint32_t d = chains.depth[chains.chain_of[n]];
    ++nodes[d];
    if (graph.nodes[n].kind == NodeKind::join) fewest[d] += 2;  // itself and the piece after it
  }
  uint32_t best = 0;
  uint64_t above = 0, kept = 0;
  for (uint32_t d = 0; d < depths; above += nodes[d++])
    if (above + fewest[d] <= budget) best = d, kept = above + fewest[d];
  const uint64_t cut = graph.nodes.size() - std::min<uint64_t>(kept, graph.nodes.size());
  const uint64_t room = std::max<uint64_t>(1, budget > kept ? budget - kept : 1);
  return {best, std::max<uint64_t>(2, (cut + room - 1) / room)};
}

class Cutter {
 public:
  Cutter(const Graph& graph, const Chains& chains, Rule rule) : graph_(graph), chains_(chains), rule_(rule) {}

  void run(CutGraph& out) {
    count_subtrees();
    assign();
    emit_nodes(out);
    find_ranges(out);
    emit_edges(out.smaller);
    out.graph = &out.smaller;
  }

 private:
  // Nodes in everything that a node forks.
  void count_subtrees() {
    hanging_.assign(graph_.nodes.size(), 0);
    std::vector<uint64_t> size(chains_.count(), 0);
    for (uint32_t n = 0; n < graph_.nodes.size(); ++n) ++size[chains_.chain_of[n]];
    for (uint32_t c = chains_.count(); c-- > 0;) {
      if (chains_.parent[c] == kNone) continue;
      size[chains_.parent[c]] += size[c];
      hanging_[chains_.fork[c]] += size[c];
    }
  }

  // Gives every node its group. A join is a group of its own; what it forks belongs to the piece that follows it.
  void assign() {
    group_.assign(graph_.nodes.size(), kNone);
    forked_into_.assign(graph_.nodes.size(), kNone);
    std::vector<uint32_t> whole(chains_.count(), kNone);  // chains below the depth: the group they are in
    for (uint32_t c = 0; c < chains_.count(); ++c) {
      if (chains_.depth[c] < rule_.depth) {
        for (uint32_t n = chains_.first[c]; n != kNone; n = chains_.next[n]) group_[n] = groups_++;
      } else if (chains_.depth[c] == rule_.depth) {
        cut_chain(c);
      } else {
        const uint32_t up = chains_.parent[c];
        whole[c] = whole[up] != kNone ? whole[up] : forked_into_[chains_.fork[c]];
        for (uint32_t n = chains_.first[c]; n != kNone; n = chains_.next[n]) group_[n] = whole[c];
      }
    }
  }

  void cut_chain(uint32_t c) {
    uint32_t piece = kNone;
    uint64_t size = 0;
    for (uint32_t n = chains_.first[c]; n != kNone; n = chains_.next[n]) {
      const bool join = graph_.nodes[n].kind == NodeKind::join;
      if (join) {
        group_[n] = groups_++;
        piece = kNone;
        if (hanging_[n] == 0) continue;
      }
      if (piece == kNone) piece = groups_++, size = 0;
      if (!join) group_[n] = piece;
      forked_into_[n] = piece;
      size += hanging_[n] + 1;
      if (size >= rule_.piece) piece = kNone;
    }
  }

  // In the order of each group's first node: still a topological order, because a group is entered at its first node.
  void emit_nodes(CutGraph& out) {
    place_.assign(groups_, kNone);
    for (uint32_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      uint32_t& at = place_[group_[n]];
      if (at == kNone) {
        at = uint32_t(out.members.size());
        out.smaller.nodes.push_back(node);
        out.members.push_back(1);
        continue;
      }
      Node& sum = out.smaller.nodes[at];
      if (!executes(sum)) sum.weight = 0;  // the cost of a fork or of book-keeping is no execution
      sum.kind = NodeKind::fragment;
      sum.critical |= node.critical;
      if (executes(node)) sum.weight += node.weight;
      if (sum.source == kNone) sum.source = node.source;
      ++out.members[at];
    }
  }

  // Nodes are in the program's serial order, depth first: a piece with all that it forks mostly is a stretch of it. Of
  // the others, every node is listed.
  void find_ranges(CutGraph& out) {
    out.first.assign(out.members.size(), kNone);
    std::vector<uint32_t> last(out.members.size(), 0);
    for (uint32_t n = 0; n < graph_.nodes.size(); ++n) {
      const uint32_t at = place_[group_[n]];
      if (out.first[at] == kNone) out.first[at] = n;
      last[at] = n;
    }
    out.is_scattered.resize(out.members.size());
    for (size_t at = 0; at < last.size(); ++at) out.is_scattered[at] = last[at] - out.first[at] + 1 != out.members[at];
    for (uint32_t n = 0; n < graph_.nodes.size(); ++n)
      if (const uint32_t at = place_[group_[n]]; out.is_scattered[at]) out.scattered.push_back({n, at});
  }

  void emit_edges(Graph& out) {
    out.edges.reserve(out.nodes.size() * 2);
    for (const Edge& e : graph_.edges) {
      const uint32_t from = place_[group_[e.from]], to = place_[group_[e.to]];
      // A dependence may lead backwards between pieces that were put together from several tasks.
      if (from != to && (e.kind != EdgeKind::dependence || from < to)) out.edges.push_back({from, to, e.kind});
    }
    // Of several edges between two groups one is left: the continuation if there is one, which holds a chain together;
    // a dependence only where there is nothing else.
    const auto rank = [](const Edge& e) { return e.kind == EdgeKind::dependence ? -1 : int(e.kind); };
    std::sort(out.edges.begin(), out.edges.end(), [&](const Edge& a, const Edge& b) {
      return a.from != b.from ? a.from < b.from : a.to != b.to ? a.to < b.to : rank(a) > rank(b);
    });
    const auto same = [](const Edge& a, const Edge& b) { return a.from == b.from && a.to == b.to; };
    out.edges.erase(std::unique(out.edges.begin(), out.edges.end(), same), out.edges.end());
  }

  const Graph& graph_;
  const Chains& chains_;
  const Rule rule_;
  uint32_t groups_ = 0;
  std::vector<uint64_t> hanging_;      // per node: nodes in what it forks
  std::vector<uint32_t> group_;        // per node
  std::vector<uint32_t> forked_into_;  // per node at the depth: group of what it forks
  std::vector<uint32_t> place_;        // per group: its node in the smaller graph
};

}  // namespace

void cut_graph(const profile::Profile& p, uint32_t max_grains, CutGraph& out) {
  out.graph = &p.graph;
  if (p.grains.size() > max_grains) cut_graph(p.graph, uint64_t(max_grains) * 4, out);
}

void cut_graph(const Graph& graph, uint64_t max_nodes, CutGraph& out) {
  out.graph = &graph;
  if (graph.nodes.size() <= max_nodes || graph.nodes.empty()) return;
  const Chains chains = find_chains(graph);
  const Rule rule = choose(graph, chains, max_nodes);
  Cutter(graph, chains, rule).run(out);
  uint64_t aggregates = 0, inside = 0;
  for (const uint32_t m : out.members)
    if (m > 1) ++aggregates, inside += m;
  out.statement = fmt::format(
      "This graph has {} nodes, more than a page can draw. {} of them, from fork depth {} downwards, are drawn as {} "
      "aggregate nodes, each with the sum of its members' times. The totals and the table of sources count every grain.",
      graph.nodes.size(), inside, rule.depth, aggregates);
}

Graph part_of(const Graph& graph, uint32_t first, uint32_t count) {
  Graph out;
  const uint32_t end = first + count;
  out.nodes.assign(graph.nodes.begin() + first, graph.nodes.begin() + end);
  const auto at = std::lower_bound(graph.edges.begin(), graph.edges.end(), first,
                                   [](const Edge& e, uint32_t from) { return e.from < from; });
  for (auto e = at; e != graph.edges.end() && e->from < end; ++e)
    if (e->to < end) out.edges.push_back({e->from - first, e->to - first, e->kind});
  return out;
}

}  // namespace einkorn::report
