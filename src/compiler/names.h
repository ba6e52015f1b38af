// Names in generated code that the program does not have.
#pragma once

#include <string>

#include "compiler/types.h"

namespace einkorn::compiler {

struct Plan;

// "int @[10]" and a name: "int x[10]".
std::string declare(const std::string& type, const std::string& name);
// A statement that copies all of `of`: what cannot be assigned, as arrays.
std::string copy(const std::string& to, const std::string& from, const std::string& of);

// What the variable's field in the frame or in the instance's memory is called.
std::string field(const Plan& plan, int variable);

struct Names {
  std::string me, frame, own, from, to, label, count, result, place;
  // The members of ek_self: each has a second name, where the first one is a macro of the program.
  std::string its_frame, its_own, its_at, its_id, its_n;
  // A macro has the name of a member of ek_proc: then these are told apart by their order alone.
  bool by_order = false;
  explicit Names(const Unit& unit);
};

}  // namespace einkorn::compiler
