// The part of the text report on what threads' counters have seen.
#pragma once
#include <string>
#include "report/wording.h"

namespace einkorn::report {

// Empty where nobody asked for counters. Its rows, and sentences on what is missing.
std::string counters_text(const profile::Profile&, const Places&, size_t lines);

}  // namespace einkorn::report
