// What an instance has to remember where it gives way.
#pragma once

#include <string>

#include "compiler/form.h"

namespace einkorn::compiler {

// Sets the live variables of each sync point, and which variables are in the instance's own memory from their
// declaration on: those whose address is taken, arrays, and what cannot be assigned again. Why that cannot be done, or
// "".
std::string find_live(Plan& plan);

// May a task that the region makes still need the memory of that variable of an instance when its codelet has ended?
// Tasks last until the next barrier, and what the instance's function has on its stack does not.
bool is_needed_by_tasks(const Plan& plan, int variable);

}  // namespace einkorn::compiler
