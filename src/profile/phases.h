// The phases of each team: what it did between its barriers.
#pragma once
#include "profile/raw.h"
#include "profile/types.h"

namespace einkorn::profile {

// Call after link(). Fills out.phases, Region::busiest and Grain::phase of shares and chunks. A region that lost a
// stretch has no phases: nobody knows which barriers were in it.
void find_phases(const Recording& rec, const std::vector<uint32_t>& site_source, Profile& out);

}  // namespace einkorn::profile
