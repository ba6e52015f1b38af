#include "report/layout/reduce.h"
#include <algorithm>
#include <tuple>

namespace einkorn::report {
namespace {

using profile::Edge;
using profile::EdgeKind;
using profile::Graph;
using profile::kNone;
using profile::Node;
using profile::NodeKind;

class Reducer {
 public:
  Reducer(const Graph& g, const std::vector<uint32_t>& members) : in_(g), stands_for_(members) {}
  ReducedGraph run();

 private:
  struct Loop {                  // one thread's part in a loop
    uint32_t node;               // its book-keeping
    std::vector<uint32_t> ends;  // last nodes of its chunks: what comes after the loop follows these
  };

  void place(uint32_t n);
  uint32_t keep(uint32_t n);
  void merge(uint32_t n, uint32_t into);
  // The new nodes that stand before whatever follows n.
  void sources(uint32_t n, NodeKind follower, std::vector<uint32_t>& out) const;

  const Graph& in_;
  const std::vector<uint32_t>& stands_for_;
  ReducedGraph out_;
  std::vector<uint32_t> rep_;     // new node that stands for it
  std::vector<uint32_t> tail_;    // new node that what follows it in its chain hangs off
  std::vector<uint32_t> before_;  // node before it in its chain, or kNone
  std::vector<uint32_t> first_;   // by grain: new node
  std::vector<uint32_t> loop_;    // by grain of a chunk, by node of book-keeping: in loops_
  std::vector<uint32_t> loop_of_;
  std::vector<Loop> loops_;
};

uint32_t Reducer::keep(uint32_t n) {
  out_.graph.nodes.push_back(in_.nodes[n]);
  out_.anchor.push_back(n);
  out_.members.push_back(stands_for_.empty() ? 1 : stands_for_[n]);
  return rep_[n] = tail_[n] = uint32_t(out_.graph.nodes.size() - 1);
}

void Reducer::merge(uint32_t n, uint32_t into) {
  Node& node = out_.graph.nodes[into];
  node.weight += in_.nodes[n].weight;
  node.critical |= in_.nodes[n].critical;
  ++out_.members[into];
  rep_[n] = into;
}

void Reducer::place(uint32_t n) {
  const Node& node = in_.nodes[n];
  const uint32_t before = before_[n];
  if (!stands_for_.empty() && stands_for_[n] > 1) {
    keep(n);
    return;
  }
  switch (node.kind) {
    case NodeKind::fragment:
    case NodeKind::chunk: {
      if (node.grain == kNone) {
        keep(n);
        return;
      }
      uint32_t& first = first_[node.grain];
      if (first == kNone) {
        first = keep(n);
        if (node.kind == NodeKind::chunk && before != kNone && loop_of_[before] != kNone)
          loop_[node.grain] = loop_of_[before];
        return;
      }
      merge(n, first);
      tail_[n] = before != kNone ? tail_[before] : first;
      if (before != kNone) loop_of_[n] = loop_of_[before];  // a loop outside regions
      return;
    }
    case NodeKind::fork: {
      const uint32_t previous = before != kNone ? tail_[before] : kNone;
      // Of the same task, with nothing but fragments between.
      if (previous != kNone && out_.graph.nodes[previous].kind == NodeKind::fork &&
          out_.graph.nodes[previous].grain == node.grain) {
        merge(n, previous);
        tail_[n] = previous;
      } else {
        keep(n);
      }
      return;
    }
    case NodeKind::bookkeeping: {
      uint32_t chunk = before != kNone && in_.nodes[before].kind == NodeKind::chunk ? in_.nodes[before].grain : kNone;
      uint32_t loop = chunk != kNone ? loop_[chunk] : kNone;
      if (loop == kNone) {
        loop = uint32_t(loops_.size());
        loops_.push_back({keep(n), {}});
      } else {
        merge(n, loops_[loop].node);
        loops_[loop].ends.push_back(tail_[before]);
        tail_[n] = loops_[loop].node;
      }
      loop_of_[n] = loop;
      return;
    }
    case NodeKind::join:
    case NodeKind::joint: keep(n); return;
  }
}

void Reducer::sources(uint32_t n, NodeKind follower, std::vector<uint32_t>& out) const {
  out.clear();
  const uint32_t loop = loop_of_[n];
  if (loop != kNone && follower != NodeKind::chunk && !loops_[loop].ends.empty()) out = loops_[loop].ends;
  else out.push_back(tail_[n]);
}

ReducedGraph Reducer::run() {
  const size_t n = in_.nodes.size();
  rep_.assign(n, kNone);
  tail_.assign(n, kNone);
  before_.assign(n, kNone);
  loop_of_.assign(n, kNone);
  uint32_t grains = 0;
  for (const Node& node : in_.nodes)
    if (node.grain != kNone) grains = std::max(grains, node.grain + 1);
  first_.assign(grains, kNone);
  loop_.assign(grains, kNone);
  for (const Edge& e : in_.edges)
    if (e.kind == EdgeKind::continuation) before_[e.to] = e.from;
  for (uint32_t i = 0; i < n; ++i) place(i);

  std::vector<uint32_t> from;
  for (const Edge& e : in_.edges) {
    sources(e.from, in_.nodes[e.to].kind, from);
    // The book-keeping in the middle of a loop leads to its next chunk only; what follows the loop hangs off its last
    // one.
    for (uint32_t f : from)
      if (f < rep_[e.to]) out_.graph.edges.push_back({f, rep_[e.to], e.kind});
  }
  auto& edges = out_.graph.edges;
  auto key = [](const Edge& e) { return std::tuple(e.from, e.to, e.kind); };
  std::sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) { return key(a) < key(b); });
  edges.erase(std::unique(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) { return key(a) == key(b); }),
              edges.end());
  return std::move(out_);
}

}  // namespace

ReducedGraph reduce_graph(const Graph& graph, const std::vector<uint32_t>& members) {
  return Reducer(graph, members).run();
}

}  // namespace einkorn::report
