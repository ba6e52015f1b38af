// Variables whose type is of variable length: arrays, and pointers to them. A codelet cannot have their lengths by the
// expressions that they were declared with, as what these name has changed since, or is not there. They are asked of
// the object where the region begins, and are in the frame.
#pragma once

#include <string>
#include <vector>

#include "compiler/form.h"

namespace einkorn::compiler {

// Is the type of variable length, and can the lengths be asked of an object of it?
bool has_lengths(const Type& type);

// What the frame has them by, and the expressions that ask for them, of the variable as the function names it.
struct Length {
  std::string field, expression;
};
std::vector<Length> lengths_of(const Plan& plan, int variable);

// The type in a codelet with that frame: '@' stands where the name goes.
std::string with_lengths(const Plan& plan, int variable, const std::string& frame);
// The same where the variable is declared in the region and can be asked itself.
std::string with_own_lengths(const Variable& variable);

// A pointer to what such a type declares: "double (*@)[n]" of "double @[n]".
std::string pointer_to(const std::string& type, bool is_array);
// As a type-name, for casts.
std::string in_cast(const std::string& type);

}  // namespace einkorn::compiler
