// The text of a region as that of its codelets.
#pragma once

#include <string>
#include <vector>

#include "compiler/form.h"
#include "compiler/names.h"

namespace einkorn::compiler {

// The region's statement, a line for a line. plans: of tasks in it that are procedures.
std::string body(const Unit& unit, const Plan& plan, const Names& names, const std::vector<Plan>& plans = {});

}  // namespace einkorn::compiler
