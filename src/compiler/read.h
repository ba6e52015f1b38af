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

// A part of a file in which macros are to be replaced by what they stand for: those that make a pragma, and those that
// have one of the names, or name it.
struct ToExpand {
  Range part;
  std::vector<std::string> names;
  bool conditions = false;  // and #if by what it leaves
};

// The file's text with that done; "": it cannot be. text: as for read().
std::string expand(const std::string& file, const std::string* text, const std::vector<ToExpand>& parts,
                   const std::vector<std::string>& flags);

}  // namespace einkorn::compiler
