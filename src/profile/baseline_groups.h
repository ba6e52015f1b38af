// A baseline for what is named by its thread. Shares, and the chunks of a static loop, are divided by the number of
// threads: none of them is the same in a recording with one thread and in one with two. All of one instance together
// are: a loop, or what a team does up to one of its barriers.
#pragma once
#include <vector>
#include "profile/compare.h"

namespace einkorn::profile {

// By Profile::grains of `after`: the execution that grains would have had with the baseline's, ns; NaN where that is
// not known. Of a grain that is in both, the other's; else its part of its instance's there. All NaN where less than
// kEnough of the work is known.
std::vector<float> exec_with_groups(const Side& before, const Side& after, const Comparison& c, size_t grains);

}  // namespace einkorn::profile
