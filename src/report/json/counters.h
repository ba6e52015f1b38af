// What threads' counters have seen, in the JSON report.
#pragma once
#include <nlohmann/json.hpp>
#include "profile/types.h"

namespace einkorn::report {

// Empty where nobody asked for counters.
nlohmann::ordered_json counters_of(const profile::Profile&);

}  // namespace einkorn::report
