// A program of the literature by its text, as `einkorn simulate --program` takes it: "cholesky:64:512".
#pragma once
#include <functional>
#include <string>

#include "simulate/types.h"

namespace einkorn::simulate {

// make(n): that program with teams of n members; data that a form spreads goes over `nodes` nodes. False: `why` says
// what is wrong and which forms there are, without a full stop. A tree of UTS is walked here, so that its size is
// known.
bool parse_program(const std::string& text, int nodes, std::function<Program(int)>& make, std::string& why);

}  // namespace einkorn::simulate
