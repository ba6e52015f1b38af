// Which construct a share is. gcc divides schedule(static) loops without asking the runtime: all that is known of one
// is the barrier that ends it, with its line and function. A region that calls light() and heavy() in turn has shares
// of both, and they are not one row at the region's line.
#pragma once
#include <vector>
#include "profile/types.h"

namespace einkorn::profile {

// Shares that a barrier within their region ends get a source of their own, with that barrier's place and the construct
// "share"; the others keep their region's. After find_phases(). named_by: for each source that is added, in their
// order, that of the barrier.
void name_shares(Profile&, std::vector<uint32_t>* named_by = nullptr);

}  // namespace einkorn::profile
