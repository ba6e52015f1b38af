// By which rule the chunks of a recorded guided loop were cut.
#pragma once
#include <compare>
#include <utility>
#include <vector>

#include "profile/types.h"
#include "simulate/types.h"

namespace einkorn::simulate {

// A node of one of a loop's chunks, which is that grain; of an inner region's that it met, too. In their order.
struct LoopChunk {
  int64_t first;  // iteration
  uint32_t node, grain;
  auto operator<=>(const LoopChunk& o) const { return std::pair(first, node) <=> std::pair(o.first, o.node); }
};
using LoopChunks = std::vector<LoopChunk>;

// A recording calls all guided whose chunks shrink: finds the rule that gives these for those threads. Guided where
// none does: another runtime has cut them, or some are lost.
void find_rule(const profile::Profile& p, uint32_t l, const LoopChunks& chunks, Loop& loop);

// Does each chunk have no more iterations than the loop's chunks are to have? Not where a compiler asks once for all of
// a thread's.
bool chunks_are_single(const profile::Profile& p, uint32_t l, const LoopChunks& chunks);

}  // namespace einkorn::simulate
