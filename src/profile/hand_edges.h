// Codelets by hand in the grain graph: a firing comes behind the fragments in which its signals were given. The last
// one is its creation, which has an edge already; those of the others are here.
//
// Signals and firings of one codelet are known by its address. In the order of their stamps those before a firing, and
// behind the firing before, are its own: each was stamped before it was given, a firing after the last one, and the
// next ones come only when the codelet has been reset, which is later. Where records are missing, or where memory is
// another codelet's that never fired, earlier ones may be among them: so of two that left as many to come only the
// later one counts. What is left of these has come before the firing all the same.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>
#include "profile/raw.h"

namespace einkorn::profile {

class HandEdges {
 public:
  explicit HandEdges(const std::vector<RawSignal>& signals);

  // That signal came with the latest node of who gave it (kNone: it had none).
  void signalled(uint32_t signal, uint32_t node) { node_[signal] = node; }
  // The task's first node.
  void begins(uint32_t task, uint32_t node) {
    if (firing_of_.empty()) return;
    if (const auto at = firing_of_.find(task); at != firing_of_.end()) node_[at->second] = node;
  }
  void add_to(std::vector<Edge>& edges) const;

 private:
  const std::vector<RawSignal>& signals_;
  std::vector<uint32_t> node_;                        // by signal
  std::unordered_map<uint32_t, uint32_t> firing_of_;  // task -> signal
};

}  // namespace einkorn::profile
