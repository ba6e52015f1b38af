#include "profile/late_edges.h"
#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace einkorn::profile {

namespace {

// The position of each node; empty: the edges form a cycle.
std::vector<uint32_t> places(const Graph& graph) {
  const size_t nodes = graph.nodes.size();
  std::vector<uint32_t> at(nodes + 1, 0), to(graph.edges.size()), before(nodes, 0), place(nodes);
  for (const Edge& e : graph.edges) ++at[e.from + 1], ++before[e.to];
  std::partial_sum(at.begin(), at.end(), at.begin());
  std::vector<uint32_t> cursor(at.begin(), at.end() - 1);
  for (const Edge& e : graph.edges) to[cursor[e.from]++] = e.to;
  // The first one in the old order comes first.
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<uint32_t>> ready;
  for (uint32_t n = 0; n < nodes; ++n)
    if (before[n] == 0) ready.push(n);
  uint32_t next = 0;
  for (; !ready.empty(); ++next) {
    const uint32_t n = ready.top();
    ready.pop();
    place[n] = next;
    for (uint32_t i = at[n]; i < at[n + 1]; ++i)
      if (--before[to[i]] == 0) ready.push(to[i]);
  }
  if (next < nodes) place.clear();
  return place;
}

// What is kept by node; where nothing is, that stays so.
template <class T>
void permute(std::vector<T>& by_node, const std::vector<uint32_t>& place) {
  if (by_node.empty()) return;
  std::vector<T> moved(by_node.size());
  for (size_t n = 0; n < by_node.size(); ++n) moved[place[n]] = by_node[n];
  by_node.swap(moved);
}

}  // namespace

void add_late_edges(const std::vector<Edge>& more, Graph& graph, std::vector<ChainLink>& chains,
                    std::vector<uint32_t>& node_of_step) {
  if (more.empty()) return;
  const size_t edges = graph.edges.size();
  graph.edges.insert(graph.edges.end(), more.begin(), more.end());
  if (std::all_of(more.begin(), more.end(), [](const Edge& e) { return e.from < e.to; })) return;
  const std::vector<uint32_t> place = places(graph);
  if (place.empty()) return graph.edges.resize(edges);
  permute(graph.nodes, place);
  permute(graph.in_turn, place);
  permute(graph.stretch_of, place);
  for (Edge& e : graph.edges) e = {place[e.from], place[e.to], e.kind};
  for (ChainLink& c : chains) c.node = place[c.node];
  for (uint32_t& n : node_of_step)
    if (n != kNone) n = place[n];
  std::sort(chains.begin(), chains.end(), [](const ChainLink& a, const ChainLink& b) { return a.node < b.node; });
}

}  // namespace einkorn::profile
