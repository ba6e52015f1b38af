// Edges of the grain graph from one member of a team to another between two barriers: turns in ordered loops, and
// instances of a region that wait for those beside them. The members have been walked one after the other.
#pragma once
#include <cstdint>
#include <vector>
#include "profile/graph.h"

namespace einkorn::profile {

// Adds them and restores a topological order, as near to the old one as possible; chains and node_of_step (kNone: no
// node) are updated. A damaged recording may contradict itself: then it gets no such edges.
void add_late_edges(const std::vector<Edge>& more, Graph& graph, std::vector<ChainLink>& chains,
                    std::vector<uint32_t>& node_of_step);

}  // namespace einkorn::profile
