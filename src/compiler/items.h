// Items of depend: what they name is the variable outside of the task, and gcc 12 takes no section of what
// is in parentheses, as a shared variable is in codelets. So a pointer to it stands for them, in a block around the
// task.
#pragma once

#include <string>
#include <vector>

#include "compiler/form.h"

namespace einkorn::compiler {

struct Item {
  Range name;
  int variable = -1;
  bool is_indexed = false;  // x[i] or x[i : n]
};

// Those of the directive that are not named in its codelet as they are in the source.
std::vector<Item> items_by_pointer(const Unit& unit, const Plan& plan, const Directive& d);
// Is that use one of them?
bool is_item_by_pointer(const Unit& unit, const Plan& plan, const Use& use);

// What such a pointer is called, and stands in the place of the name. It is declared as that of the variable's first
// element, or else of the variable.
std::string item_pointer(const Plan& plan, const Item& item);
std::string named_by_pointer(const Plan& plan, const Item& item);

}  // namespace einkorn::compiler
