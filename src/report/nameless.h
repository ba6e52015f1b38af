// The work that no function's name is known for, and how to get it.
#pragma once
#include <string>
#include <vector>
#include "report/source_costs.h"

namespace einkorn::report {

// One sentence, without its full stop; empty: nearly all work has a name.
std::string about_nameless(const profile::Profile&, const std::vector<SourceCost>&);

}  // namespace einkorn::report
