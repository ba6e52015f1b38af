// Doacross loops in the grain graph: what follows a wait for an iteration (ordered depend(sink)) comes behind the
// stretch of its chunk that ended when that iteration was done (depend(source)). Both cut a chunk.
#pragma once
#include <compare>
#include <cstdint>
#include <vector>
#include "profile/types.h"

namespace einkorn::profile {

class IterationEdges {
 public:
  // The iteration at that position of the loop is done, with the chunk's latest node.
  void done(uint32_t loop, uint64_t position, uint32_t node) { done_.push_back({loop, position, node}); }
  // What comes next in the walk goes on behind that iteration.
  void awaits(uint32_t loop, uint64_t position) { waits_.push_back({loop, position, kNone}); }
  void goes_on(uint32_t node) {
    for (; open_ < waits_.size(); ++open_) waits_[open_].node = node;
  }
  void add_to(std::vector<Edge>& edges);

 private:
  struct Place {
    uint32_t loop;
    uint64_t position;
    uint32_t node;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> done_, waits_;
  size_t open_ = 0;  // of waits_, the first whose node is to come
};

}  // namespace einkorn::profile
