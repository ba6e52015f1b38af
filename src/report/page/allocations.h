// Who allocated large blocks of memory, and where these lie, for the page.
#pragma once
#include <nlohmann/json.hpp>
#include "profile/types.h"

namespace einkorn::report {

// Null: the recording has none.
nlohmann::json page_allocations(const profile::Profile& p);

}  // namespace einkorn::report
