// A C file as clang reads it, in types.h's words.
#pragma once

#include <string>
#include <vector>

#include "compiler/types.h"

namespace einkorn::compiler {

struct Reading {
  bool parsed = false;
  std::string messages;  // clang's, as it prints them
  Unit unit;
};

// text: what stands in the file instead of what is on disk, nullptr: nothing does. flags: of the compile.
Reading read(const std::string& file, const std::string* text, const std::vector<std::string>& flags);

}  // namespace einkorn::compiler
