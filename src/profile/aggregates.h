// Tasks and chunks that were not recorded one by one, gathered from all threads.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>
#include "profile/raw.h"
#include "profile/types.h"

namespace einkorn::profile {

// `grain_of`: the grain to which a subtree belongs. Fills Profile::aggregates.
void gather_aggregates(const Recording&, const std::vector<uint32_t>& site_source,
                       const std::function<uint32_t(const RawSubtree&)>& grain_of, Profile&);

}  // namespace einkorn::profile
