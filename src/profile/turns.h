// Ordered loops in the grain graph: the part of a chunk within its turn comes after that of the chunk before it.
#pragma once
#include <cstdint>
#include <vector>
#include "profile/types.h"

namespace einkorn::profile {

// For a chunk: the first node of its turn, and its last node.
struct Turn {
  uint32_t grain, first, last;
};

// From each chunk of a loop to the next: late edges (late_edges.h).
std::vector<Edge> edges_of_turns(std::vector<Turn> turns, const Profile& p);

}  // namespace einkorn::profile
