// Names in the text of a region: whether they mean in its codelets what they mean there.
#pragma once

#include <optional>
#include <string>

#include "compiler/form.h"

namespace einkorn::compiler {

struct NotNamed {
  uint32_t at;
  std::string why;
  bool by_macro;  // a macro names it
};

// Whether each name that could be a variable's, or something's that the function declares, is known to be one; nothing:
// all are. Sets plan.constants.
std::optional<NotNamed> find_names(const Unit& unit, Plan& plan);

// A string that a macro makes of its argument, in which a variable's name would be the codelets' for it.
std::optional<NotNamed> find_spelled(const Plan& plan);

}  // namespace einkorn::compiler
