// The text of a region as that of its codelets.
#pragma once

#include <string>
#include <vector>

#include "compiler/form.h"
#include "compiler/names.h"

namespace einkorn::compiler {

// "int @[10]" and a name: "int x[10]".
std::string declare(const std::string& type, const std::string& name);

// What the variable's field in the frame or in the instance's memory is called.
std::string field(const Plan& plan, int variable);

// The region's statement, a line for a line. plans: of tasks in it that are procedures.
std::string body(const Unit& unit, const Plan& plan, const Names& names, const std::vector<Plan>& plans = {});

}  // namespace einkorn::compiler
