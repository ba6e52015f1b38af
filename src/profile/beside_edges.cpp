#include "profile/beside_edges.h"
#include <algorithm>

namespace einkorn::profile {

void BesideEdges::wait(Member who, const RawBeside& b, uint32_t node) {
  posts_.push_back({who, b.number, true, node});
  for (uint32_t i = 0; i < b.count; ++i) waits_.push_back({{who.region, b.members[i]}, b.number});
}

void BesideEdges::goes_on(uint32_t node) {
  for (; open_ < waits_.size(); ++open_) waits_[open_].node = node;
}

// Where the step was done; of a member that ended before it its end. kNone: records are missing, nobody knows.
uint32_t BesideEdges::node_of(Member who, uint32_t number) const {
  const auto at = std::lower_bound(posts_.begin(), posts_.end(), Post{who, number, false, 0});
  if (at != posts_.end() && at->who == who && at->number == number) return at->node;
  const bool is_last = at == posts_.end() || at->who != who;
  const auto end = std::lower_bound(ends_.begin(), ends_.end(), End{who, 0, false});
  if (!is_last || end == ends_.end() || end->who != who || !end->known) return kNone;
  const bool whole = end + 1 == ends_.end() || (end + 1)->who != who;  // else it has several stays
  return whole ? end->node : kNone;
}

void BesideEdges::add_to(std::vector<Edge>& edges) {
  if (waits_.empty()) return;
  std::sort(posts_.begin(), posts_.end());
  std::sort(ends_.begin(), ends_.end());
  for (const Wait& w : waits_) {
    const uint32_t from = w.node != kNone ? node_of(w.whom, w.number) : kNone;
    if (from != kNone && from != w.node) edges.push_back({from, w.node, EdgeKind::dependence});
  }
}

}  // namespace einkorn::profile
