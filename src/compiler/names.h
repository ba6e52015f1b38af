// Names in generated code that the program does not have.
#pragma once

#include <string>

#include "compiler/types.h"

namespace einkorn::compiler {

struct Names {
  std::string me, frame, own, from, to, label, count, result, place;
  explicit Names(const Unit& unit);
};

}  // namespace einkorn::compiler
