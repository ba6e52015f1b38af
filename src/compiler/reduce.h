// What a reduction needs around what reduces: each thread's own part, and how it joins the whole.
#pragma once

#include <string>

#include "compiler/text.h"
#include "compiler/types.h"

namespace einkorn::compiler {

// What a private copy begins with for a reduction of numbers.
std::string identity(const std::string& op, const Type& type);
// `into` combined with `from`: a statement.
std::string combine(const std::string& op, const std::string& into, const std::string& from);

// Why codelets do not have it, "": they do. of_region: the directive is the region's.
std::string why_not_reduced(const Directive& d, bool of_region, const Clause& reduction, size_t item,
                            const Variable& v);

// Is it neither a number nor a struct of which there is one?
bool is_of_elements(const Clause& reduction, size_t item, const Variable& v);
// Is it of a number with a value to begin with? limits: of one of which no limits are known, where max and min begin.
enum class NotANumber : uint8_t { it_is, other, limits };
NotANumber why_not_a_number(const std::string& op, const Type& type);
// `to` combined with `from`, also by the program's own operation: a statement.
std::string merge(const Unit& unit, const Clause& reduction, size_t item, const std::string& to,
                  const std::string& from);

struct Part {
  std::string begin;  // declares what the variable's name stands for
  std::string end;    // joins it: in a critical section
};

// For the variable number `item` of the clause. outer: how the one outside is named.
Part part_of(const Unit& unit, const Edits& edits, const Clause& reduction, size_t item, const Variable& v,
             const std::string& outer);

}  // namespace einkorn::compiler
