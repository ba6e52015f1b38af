#include "report/layout_chains.h"
#include <algorithm>

namespace einkorn::report {
namespace {

using profile::Edge;
using profile::EdgeKind;
using profile::kNone;

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
    for (const Edge& e : graph_.edges) continuations_[e.from] += e.kind == EdgeKind::continuation;
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

  // Nodes come in topological order: every predecessor has its chain already.
  void place(uint32_t node) {
    uint32_t fork = kNone;           // creating node, or a team's join that goes on to several members
    uint32_t own = kNone;            // chain of the (shallowest) continuation
    uint32_t joined = kNone;         // shallowest chain that joins here
    bool several = false;            // several continuations equally shallow: a whole team arrives
    for (uint32_t i = in_.begin[node]; i < in_.begin[node + 1]; ++i) {
      ++out_.work;
      const Edge& e = graph_.edges[in_.edge[i]];
      const uint32_t chain = out_.chain_of[e.from];
      if (chain == kNone) continue;  // an edge against the order: not ours to follow
      const uint32_t depth = out_.depth[chain];
      if (e.kind == EdgeKind::creation) {
        if (fork == kNone) fork = e.from;
      } else if (e.kind == EdgeKind::join) {
        if (joined == kNone || depth < out_.depth[joined]) joined = chain;
      } else if (continuations_[e.from] > 1) {
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

  // For every chain, the last node of its parent that something in its subtree leads to.
  void find_joins() {
    const uint32_t chains = out_.count();
    std::vector<uint32_t> depth(chains, kNone);  // shallowest chain that the subtree leads to
    std::vector<uint32_t> node(chains, kNone);   // the last such node there
    auto reach = [&](uint32_t chain, uint32_t target_depth, uint32_t target) {
      if (target_depth > depth[chain]) return;
      node[chain] = target_depth == depth[chain] ? std::max(node[chain], target) : target;
      depth[chain] = target_depth;
    };
    for (const Edge& e : graph_.edges) {
      ++out_.work;
      const uint32_t from = out_.chain_of[e.from], to = out_.chain_of[e.to];
      if (from != to && out_.depth[to] < out_.depth[from]) reach(from, out_.depth[to], e.to);
    }
    out_.join.assign(chains, kNone);
    for (uint32_t c = chains; c-- > 0;) {
      ++out_.work;
      const uint32_t parent = out_.parent[c];
      if (parent == kNone || node[c] == kNone) continue;
      if (depth[c] < out_.depth[parent]) reach(parent, depth[c], node[c]);
      else if (out_.chain_of[node[c]] == parent) out_.join[c] = node[c];
    }
  }

  const profile::Graph& graph_;
  Incoming in_;
  std::vector<uint32_t> continuations_;  // outgoing, per node
  Chains out_;
};

}  // namespace

Chains find_chains(const profile::Graph& graph) { return Builder(graph).build(); }

}  // namespace einkorn::report
