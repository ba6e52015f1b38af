#include <cstdint>
#include <numeric>
#include <vector>
#include "profile/graph.h"

namespace einkorn::profile {

// Counting sort by origin; among edges of one origin the order of emission stays, which is by target.
void sort_edges(Graph& graph) {
  std::vector<uint32_t> at(graph.nodes.size() + 1, 0);
  for (const Edge& e : graph.edges) ++at[e.from + 1];
  std::partial_sum(at.begin(), at.end(), at.begin());
  std::vector<Edge> sorted(graph.edges.size());
  for (const Edge& e : graph.edges) sorted[at[e.from]++] = e;
  graph.edges.swap(sorted);
}

}  // namespace einkorn::profile
