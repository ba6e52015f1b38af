// Ordered loops in the grain graph: the part of a chunk within its turn comes after that of the chunk before it.
#pragma once
#include <cstdint>
#include <vector>
#include "profile/graph.h"

namespace einkorn::profile {

// For a chunk: the first node of its turn, and its last node.
struct Turn {
  uint32_t grain, first, last;
};

// Adds the edges from each chunk of a loop to the next, and restores a topological order, as near to the old one as
// possible; chains and node_of_step (kNone: no node) are updated. A damaged recording may contradict itself: then it
// gets no such edges.
void chain_turns(const std::vector<Turn>& turns, Profile& out, std::vector<ChainLink>& chains,
                 std::vector<uint32_t>& node_of_step);

}  // namespace einkorn::profile
