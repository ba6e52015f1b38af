#include "profile/iteration_edges.h"
#include <algorithm>

namespace einkorn::profile {

void IterationEdges::add_to(std::vector<Edge>& edges) {
  if (waits_.empty()) return;
  std::sort(done_.begin(), done_.end());
  for (const Place& w : waits_) {
    // Of an iteration that a damaged file has twice, the first.
    const auto at = std::lower_bound(done_.begin(), done_.end(), Place{w.loop, w.position, 0});
    if (w.node == kNone || at == done_.end() || at->loop != w.loop || at->position != w.position) continue;
    if (at->node != w.node) edges.push_back({at->node, w.node, EdgeKind::dependence});
  }
}

}  // namespace einkorn::profile
