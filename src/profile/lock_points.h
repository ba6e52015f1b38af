// Where in the grain graph's nodes locks were taken and released.
#pragma once
#include "profile/raw.h"
#include "profile/types.h"

namespace einkorn::profile {

// Fills out.lock_points. node_of: by step; kNone: the step has no node, and its lock points are dropped.
void place_lock_points(const Recording& rec, const std::vector<uint32_t>& node_of, Profile& out);

}  // namespace einkorn::profile
