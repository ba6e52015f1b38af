// Recording -> grains: joins the streams of all threads into one tree, from the initial task down.
#pragma once
#include "profile/raw.h"
#include "profile/types.h"

namespace einkorn::profile {

// `site_source`: Source of each site, or kNone. Fills grains, regions and loops of `out`, and in `rec` the grain of
// every step, the members of every region and the orphans, which graph.cpp needs.
void link(Recording& rec, const std::vector<uint32_t>& site_source, Profile& out);

}  // namespace einkorn::profile
