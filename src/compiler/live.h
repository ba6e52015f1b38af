// What an instance has to remember where it gives way.
#pragma once

#include <string>

#include "compiler/form.h"

namespace einkorn::compiler {

// Decides for each object of the region where it is: in the instance's own memory from its declaration on (Plan::own);
// or a local of C, saved at each sync point (Sync::live); or a local that no sync point concerns. The first is what
// holds for an object of which nothing is proved (proofs.h). Why that cannot be had, or "".
std::string find_live(const Unit& unit, Plan& plan);

// May a task that the region makes still need the memory of that variable of an instance when its codelet has ended?
// Tasks last until the next barrier, and what the instance's function has on its stack does not.
bool is_needed_by_tasks(const Plan& plan, int variable);

}  // namespace einkorn::compiler
