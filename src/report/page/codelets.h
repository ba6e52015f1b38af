// The codelets of a recorded program, for the page's picture of them: viewer/src/data/page.ts reads it.
#pragma once
#include <nlohmann/json.hpp>
#include "profile/types.h"

namespace einkorn::report {

// By graph, each with its codelets and arcs. Empty: the program has none.
nlohmann::json page_codelets(const profile::Profile& p);

}  // namespace einkorn::report
