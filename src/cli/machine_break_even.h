// `einkorn machine --break-even`: how often a page must be used until moving it has paid.
#pragma once
#include <string>

#include "machine/types.h"

namespace einkorn::cli {

// Text, or JSON. False: *why says what the machine lacks.
bool print_break_even(const machine::Machine& m, bool json, std::string* out, std::string* why);

}  // namespace einkorn::cli
