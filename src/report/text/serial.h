// What ran outside of regions, by function.
#pragma once
#include <string>
#include <vector>
#include "profile/types.h"

namespace einkorn::report {

struct SerialFunction {
  uint32_t source = profile::kNone;  // kNone: not known
  uint32_t before = profile::kNone;  // source of the region that comes next, most often
  uint64_t samples = 0;
};
// The most samples first.
std::vector<SerialFunction> serial_functions(const profile::Profile&);
// A title and a table; empty: there are no samples.
std::string serial_text(const profile::Profile&);

}  // namespace einkorn::report
