#include "compiler/items.h"

#include <algorithm>

namespace einkorn::compiler {

namespace {

bool is_of_addresses(const Clause& c) { return c.name == "depend"; }

}  // namespace

std::vector<Item> items_by_pointer(const Unit& unit, const Plan& plan, const Directive& d) {
  std::vector<Item> found;
  const Function& f = *plan.function;
  if (d.kind != Directive::kept || d.name == "ordered") return found;
  for (const Clause& c : d.clauses)
    for (const Use& u : f.uses) {
      if (!is_of_addresses(c) || !c.text.has(u.at) || u.in_macro || is_plain(plan, u.variable)) continue;
      const int whose = owner(f, plan.region, u);
      const bool is_task_own = whose >= 0 && &f.directives[size_t(whose)] == &d;
      if (whose >= 0 && !is_task_own) continue;
      Item it;
      it.variable = u.variable;
      it.name = {u.at, u.at + uint32_t(f.variables[size_t(u.variable)].name.size())};
      const size_t next = unit.text.find_first_not_of(" \t", it.name.end);
      it.is_indexed = next != std::string::npos && unit.text[next] == '[';
      const bool in_parentheses = plan.own[size_t(u.variable)] || plan.reach[size_t(u.variable)] == Reach::pointer;
      if (is_task_own || (it.is_indexed && in_parentheses)) found.push_back(it);
    }
  return found;
}

bool is_item_by_pointer(const Unit& unit, const Plan& plan, const Use& use) {
  const auto is_it = [&](const Item& it) { return it.name.begin == use.at; };
  for (const Directive& d : plan.function->directives) {
    if (!d.pragma.has(use.at)) continue;
    const std::vector<Item> items = items_by_pointer(unit, plan, d);
    if (std::any_of(items.begin(), items.end(), is_it)) return true;
  }
  return false;
}

std::string item_pointer(const Plan& plan, const Item& item) {
  return std::string(item.is_indexed ? "ek_items_" : "ek_item_") + plan.function->variables[size_t(item.variable)].name;
}

std::string named_by_pointer(const Plan& plan, const Item& item) {
  return item.is_indexed ? item_pointer(plan, item) : "*" + item_pointer(plan, item);
}

}  // namespace einkorn::compiler
