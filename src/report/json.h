// A recording's summary as JSON: docs/report-schema.json says what every field means.
#pragma once
#include <string>
#include "profile/types.h"

namespace einkorn::report {

std::string json_report(const profile::Profile&);

}  // namespace einkorn::report
