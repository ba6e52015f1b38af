// What a recorded program's codelets are, condensed: the classes of its graphs with the arcs between them, and of each
// procedure the places where its instances go on, with how often they went from one to the next.
#pragma once
#include "profile/raw.h"
#include "profile/types.h"

namespace einkorn::profile {

// Call after build_graph(): which there are, and their arcs; stretches get their codelets.
void gather_codelets(const Recording& rec, const std::vector<uint32_t>& site_source, Profile& out);
// Call after critical_path(): how often each was executed, and its times.
void time_codelets(Profile& out);

}  // namespace einkorn::profile
