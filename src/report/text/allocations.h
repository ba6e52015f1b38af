// The part of the text report on large blocks of memory.
#pragma once
#include <string>
#include "report/locality.h"
#include "report/wording.h"

namespace einkorn::report {

// Empty where the recording has none.
std::string allocations_text(const profile::Profile&, const Places&, const Locality&, size_t lines);

}  // namespace einkorn::report
