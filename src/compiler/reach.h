// How the codelets of a plan come to what they name. whole: the region's text, its directive's too.
#pragma once
#include <algorithm>
#include <vector>

#include "compiler/form.h"

namespace einkorn::compiler {

// Does the codelet name the variable otherwise than the program: as a member, or through a pointer?
inline bool has_other_name(const Plan& plan, int v) {
  return plan.own[size_t(v)] || plan.reach[size_t(v)] == Reach::pointer || plan.reach[size_t(v)] == Reach::frame;
}
// Of what a task in the codelet takes a copy without a clause: can it take none, as that is a member? What a region
// shares is never copied so; what a procedure's task shares may be.
inline bool needs_copy_for_task(const Plan& plan, int v) {
  return plan.own[size_t(v)] || (is_procedure(plan) && has_other_name(plan, v));
}
inline bool has_variable(const std::vector<int>& list, int variable) {
  return std::find(list.begin(), list.end(), variable) != list.end();
}

// A variable of the file's that one of the region's directives has its own of, and needs beside that.
bool has_outer(const Plan& plan, const Range& whole, int variable);
// A directive around it, inside of the region, has its own of the variable: there it is that, by its name.
bool has_nearer(const Plan& plan, const Directive& d, int variable);
// Does a directive inside begin its own with the value from outside, or change that in the end?
bool needs_outer(const Plan& plan, const Range& whole, int variable);
// Of an array of variable length that is shared: is nothing of it named but its elements?
bool elements_are_all(const Plan& plan, const Range& whole, int variable);

}  // namespace einkorn::compiler
