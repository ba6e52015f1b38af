// Functions that become procedures, and tasks that become invocations of them.
//
// A task that does nothing but call a function, which in turn makes tasks or waits for them, is an invocation of that
// function's procedure: one instance, which gives way where the function waits. A call outside of a task is made by the
// instance that calls, as a function is called: the callee's frame lies in the caller's memory, its children are the
// caller's children, and where it waits the caller gives way. So it costs what a call costs, and means what it means in
// OpenMP; a recursion that is not by tasks has no room there, and stays a call of the function.
#pragma once

#include <string>
#include <vector>

#include "compiler/form.h"

namespace einkorn::compiler {

struct Remark {
  std::string file;
  uint32_t line;
  std::string text;
};

struct Formed {
  std::vector<Plan> plans;  // procedures first, then regions
  std::vector<Remark> remarks;
};

// Of all regions, and of the functions that these need as procedures. What is an invocation or a call of one is marked
// in unit.functions. with_procedures: false, none are made.
Formed form_all(Unit& unit, bool with_procedures);

}  // namespace einkorn::compiler
