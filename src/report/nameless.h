// The work that no function's name is known for, and how to get it.
#pragma once
#include <string>
#include <vector>
#include "report/source_costs.h"

namespace einkorn::report {

// Of the work, or of the grains where times are not valid, the part whose function or line is known. 1: there is none.
double named_share(const profile::Profile&, const std::vector<SourceCost>&);
// One sentence, without its full stop; empty: nearly all work has a name.
std::string about_nameless(const profile::Profile&, const std::vector<SourceCost>&);

}  // namespace einkorn::report
