// The edges of a grain graph, by their nodes.
#pragma once
#include <cstdint>
#include <vector>

#include "profile/types.h"

namespace einkorn::simulate {

class NodeEdges {
 public:
  explicit NodeEdges(const profile::Graph& graph) : graph_(graph) {
    const size_t nodes = graph.nodes.size();
    out_.assign(nodes + 1, 0);
    in_.assign(nodes + 1, 0);
    for (const profile::Edge& e : graph.edges) ++out_[e.from + 1], ++in_[e.to + 1];
    for (size_t n = 0; n < nodes; ++n) out_[n + 1] += out_[n], in_[n + 1] += in_[n];
    into_.resize(graph.edges.size());
    std::vector<uint32_t> cursor(in_.begin(), in_.end() - 1);
    for (uint32_t i = 0; i < graph.edges.size(); ++i) into_[cursor[graph.edges[i].to]++] = i;
  }

  template <class Use>
  void each_in(uint32_t n, Use&& use) const {
    for (uint32_t i = in_[n]; i < in_[n + 1]; ++i) use(graph_.edges[into_[i]]);
  }
  template <class Use>
  void each_out(uint32_t n, Use&& use) const {  // edges are sorted by their origins
    for (uint32_t i = out_[n]; i < out_[n + 1]; ++i) use(graph_.edges[i]);
  }

 private:
  const profile::Graph& graph_;
  std::vector<uint32_t> out_, in_, into_;  // edges by origin, and by target
};

}  // namespace einkorn::simulate
