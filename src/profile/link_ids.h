// Resolves the ids that streams use for each other's tasks and regions. The first half of link().
#pragma once
#include "profile/raw.h"

namespace einkorn::profile {

// Index of a task id; kNone: nothing is known of it. Call after resolve_ids().
uint32_t find_task(const Recording&, uint64_t id);

// Gives every task its stays, in time order, and every region its members. Adds to the tables the tasks and regions
// that are named but whose creation is not recorded.
void resolve_ids(Recording& rec);

}  // namespace einkorn::profile
