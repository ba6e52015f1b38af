#include "profile/lock_points.h"
#include <algorithm>

namespace einkorn::profile {

void place_lock_points(const Recording& rec, const std::vector<uint32_t>& node_of, Profile& out) {
  out.lock_points.reserve(rec.lock_points.size());
  for (const RawLockPoint& p : rec.lock_points)
    if (const uint32_t node = node_of[p.step]; node != kNone) out.lock_points.push_back({node, p.lock, p.at, p.taken});
  // A step belongs to one thread, whose points are in order.
  std::stable_sort(out.lock_points.begin(), out.lock_points.end(),
                   [](const LockPoint& a, const LockPoint& b) { return a.node < b.node; });
}

}  // namespace einkorn::profile
