// The file with codelets.
#pragma once

#include <string>
#include <vector>

#include "compiler/form.h"

namespace einkorn::compiler {

// The input, with what the plans without a reason against them say inserted. Unchanged where there are none.
std::string print(const Unit& unit, const std::vector<Plan>& plans);

}  // namespace einkorn::compiler
