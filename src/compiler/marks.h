// `#pragma ompx codelet` on the line before a loop or a single, and the clause `codelet` of one. No compiler knows
// them: gcc stops at the clause, and clang drops all clauses behind it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/form.h"

namespace einkorn::compiler {

struct Mark {
  uint32_t line = 0;  // where it stands, counting #line
  uint32_t of = 0;    // the line of what it is meant for; 0: nothing follows
};

// Takes them out of the text, a blank for a byte: nothing moves.
std::vector<Mark> take_marks(std::string& text);

// What became of it, in a sentence without its place.
std::string told(const Mark& mark, const Unit& unit, const std::vector<Plan>& plans);

}  // namespace einkorn::compiler
