// The grain graph with fewer nodes, for drawing: Muddukrishna 2016, 5.4.1.
//
// * Fragment reduction: all fragments of a task (or of a share, or of a chunk) become one node, at the place of the
// first.
// * Fork reduction: forks that follow each other without a join between them become one.
// * Book-keeping: one node for all of a thread's part in a loop; its chunks are siblings below it.
//
// Joins stay. What followed a later fragment of a task now follows the fork or join before that fragment; the edge from
// a join back up to the task's next fragment is left out. So node numbers are a topological order still, the sum of the
// weights of each kind of node is what it was, and the reduction of a reduced graph is that graph.
#pragma once
#include <cstdint>
#include <vector>
#include "profile/types.h"

namespace einkorn::report {

struct ReducedGraph {
  profile::Graph graph;
  std::vector<uint32_t> anchor;   // per node: its first member in the original graph
  std::vector<uint32_t> members;  // per node: how many it stands for
};

// `members`: of the original nodes where those stand for several already (layout/cut.h): such a node stays. Else empty.
ReducedGraph reduce_graph(const profile::Graph& graph, const std::vector<uint32_t>& members);

}  // namespace einkorn::report
