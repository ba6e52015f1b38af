#include "report/layout/chains.h"
#include <algorithm>

namespace einkorn::report {
namespace {

using profile::Edge;
using profile::EdgeKind;
using profile::kNone;
using profile::NodeKind;

// Incoming edges of every node, as ranges of edge indices.
struct Incoming {
  std::vector<uint32_t> begin;  // nodes + 1
  std::vector<uint32_t> edge;
};

Incoming incoming_edges(const profile::Graph& graph) {
  Incoming in;
  in.begin.assign(graph.nodes.size() + 1, 0);
  in.edge.resize(graph.edges.size());
  for (const Edge& e : graph.edges) ++in.begin[e.to + 1];
  for (size_t n = 0; n < graph.nodes.size(); ++n) in.begin[n + 1] += in.begin[n];
  std::vector<uint32_t> cursor(in.begin.begin(), in.begin.end() - 1);
  for (uint32_t i = 0; i < graph.edges.size(); ++i) in.edge[cursor[graph.edges[i].to]++] = i;
  return in;
}

class Builder {
 public:
  explicit Builder(const profile::Graph& graph) : graph_(graph), in_(incoming_edges(graph)) {}

  Chains build() {
    const size_t n = graph_.nodes.size();
    out_.chain_of.assign(n, kNone);
    out_.next.assign(n, kNone);
    continuations_.assign(n, 0);
    for (const Edge& e : graph_.edges)
      continuations_[e.from] += e.kind == EdgeKind::continuation || (e.kind == EdgeKind::join && is_team_join(e.from));
    for (uint32_t node = 0; node < n; ++node) place(node);
    find_joins();
    return std::move(out_);
  }

 private:
  void start(uint32_t node, uint32_t parent, uint32_t fork) {
    out_.chain_of[node] = out_.count();
    out_.first.push_back(node);
    out_.last.push_back(node);
    out_.parent.push_back(parent);
    out_.fork.push_back(fork);
    out_.depth.push_back(parent == kNone ? 0 : out_.depth[parent] + 1);
  }

  void append(uint32_t node, uint32_t chain) {
    out_.chain_of[node] = chain;
    out_.next[out_.last[chain]] = node;
    out_.last[chain] = node;
  }

  bool is_team_join(uint32_t node) const {
    return graph_.nodes[node].kind == NodeKind::join && graph_.nodes[node].grain == kNone;
  }

  // Nodes come in topological order: every predecessor has its chain already.
  void place(uint32_t node) {
    uint32_t fork = kNone;    // creating node, or a team's join that goes on to several members
    uint32_t own = kNone;     // chain of the (shallowest) continuation
    uint32_t joined = kNone;  // shallowest chain that joins here
    // A member that did nothing since the fork or the last barrier leads from there straight to the team's next join.
    const bool team_join = is_team_join(node);
    bool several = false;  // several continuations equally shallow: a whole team arrives
    for (uint32_t i = in_.begin[node]; i < in_.begin[node + 1]; ++i) {
      ++out_.work;
      const Edge& e = graph_.edges[in_.edge[i]];
      const uint32_t chain = out_.chain_of[e.from];
      if (chain == kNone) continue;  // an edge against the order: not ours to follow
      if (e.kind == EdgeKind::dependence) continue;
      const uint32_t depth = out_.depth[chain];
      const bool splits = e.kind == EdgeKind::creation || continuations_[e.from] > 1;
      if (e.kind == EdgeKind::join && !(team_join && is_team_join(e.from))) {
        if (joined == kNone || depth < out_.depth[joined]) joined = chain;
      } else if (splits && !team_join) {
        if (fork == kNone) fork = e.from;
      } else if (own == kNone || depth < out_.depth[own]) {
        own = chain;
        several = false;
      } else if (depth == out_.depth[own] && chain != own) {
        several = true;
      }
    }
    ++out_.work;
    if (fork != kNone) return start(node, out_.chain_of[fork], fork);
    if (own == kNone && joined == kNone) return start(node, kNone, kNone);
    uint32_t chain = own;
    if (own == kNone) chain = above(joined);
    else if (several) chain = above(own);
    // Whoever joins here must hang below this node's chain.
    if (joined != kNone)
      while (out_.depth[chain] >= out_.depth[joined] && out_.parent[chain] != kNone) chain = out_.parent[chain];
    append(node, chain);
  }

  uint32_t above(uint32_t chain) const { return out_.parent[chain] == kNone ? chain : out_.parent[chain]; }

  // Follows every edge that leaves a chain upwards to the child of the chain it leads to, in constant time: chains are
  // visited depth first, so that `path` holds the ancestors of the current one by depth.
  void find_joins() {
    const uint32_t chains = out_.count();
    out_.first_join.assign(chains, kNone);
    out_.last_join.assign(chains, kNone);
    out_.outlives.assign(chains, 0);
    std::vector<uint32_t> child(chains, kNone), sibling(chains, kNone);
    uint32_t deepest = 0;
    for (uint32_t c = chains; c-- > 0;) {
      deepest = std::max(deepest, out_.depth[c]);
      if (out_.parent[c] == kNone) continue;
      sibling[c] = child[out_.parent[c]];
      child[out_.parent[c]] = c;
    }
    std::vector<uint32_t> outgoing = first_edges();
    std::vector<uint32_t> path(deepest + 1, kNone);
    std::vector<uint32_t> highest(chains, kNone);  // smallest depth that an edge of the chain leads to
    for (uint32_t root = 0; root < chains; ++root) {
      if (out_.parent[root] != kNone) continue;
      for (uint32_t c = root; c != kNone;) {
        path[out_.depth[c]] = c;
        for (uint32_t n = out_.first[c]; n != kNone; n = out_.next[n])
          for (uint32_t i = outgoing[n]; i < outgoing[n + 1]; ++i) leave(c, leaving_[i], path, highest);
        ++out_.work;
        if (child[c] != kNone) {
          c = child[c];
          continue;
        }
        while (c != kNone && sibling[c] == kNone) c = out_.parent[c];
        if (c != kNone) c = sibling[c];
      }
    }
    for (uint32_t c = chains; c-- > 0;) {
      const uint32_t parent = out_.parent[c];
      if (parent == kNone) continue;
      if (highest[c] < out_.depth[parent]) highest[parent] = std::min(highest[parent], highest[c]);
      out_.outlives[c] = highest[c] < out_.depth[parent] || (highest[c] == kNone && out_.last_join[c] == kNone);
    }
  }

  void leave(uint32_t chain, uint32_t to, const std::vector<uint32_t>& path, std::vector<uint32_t>& highest) {
    ++out_.work;
    const uint32_t target = out_.chain_of[to], depth = out_.depth[target];
    if (depth >= out_.depth[chain] || path[depth] != target) return;  // inside, or to no ancestor: not the skeleton's
    highest[chain] = std::min(highest[chain], depth);
    uint32_t &first = out_.first_join[path[depth + 1]], &last = out_.last_join[path[depth + 1]];
    first = std::min(first, to);  // kNone is the largest
    last = last == kNone ? to : std::max(last, to);
  }

  // Targets of the edges of each node, whatever order the edges are in; leaving_ is filled beside.
  std::vector<uint32_t> first_edges() {
    std::vector<uint32_t> begin(graph_.nodes.size() + 1, 0);
    for (const Edge& e : graph_.edges) ++begin[e.from + 1];
    for (size_t n = 0; n < graph_.nodes.size(); ++n) begin[n + 1] += begin[n];
    leaving_.resize(graph_.edges.size());
    std::vector<uint32_t> cursor(begin.begin(), begin.end() - 1);
    for (const Edge& e : graph_.edges) leaving_[cursor[e.from]++] = e.to;
    return begin;
  }

  const profile::Graph& graph_;
  Incoming in_;
  std::vector<uint32_t> continuations_;  // per node: ways on from it, without the children it creates
  std::vector<uint32_t> leaving_;        // targets of edges, by origin
  Chains out_;
};

}  // namespace

Chains find_chains(const profile::Graph& graph) { return Builder(graph).build(); }

}  // namespace einkorn::report
