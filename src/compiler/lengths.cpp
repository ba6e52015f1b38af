#include "compiler/lengths.h"

#include "compiler/names.h"

namespace einkorn::compiler {

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

}  // namespace

bool has_lengths(const Type& type) { return type.varies && !type.sized.empty(); }

std::vector<Length> lengths_of(const Plan& plan, int variable) {
  const Variable& it = plan.function->variables[size_t(variable)];
  std::vector<Length> found;
  for (size_t n = 0; n < it.type.lengths.size(); ++n)
    found.push_back(
        {"ek_length" + std::to_string(n) + "_" + field(plan, variable), replaced(it.type.lengths[n], "@", it.name)});
  return found;
}

std::string with_lengths(const Plan& plan, int variable, const std::string& frame) {
  std::string type = plan.function->variables[size_t(variable)].type.sized;
  const std::vector<Length> lengths = lengths_of(plan, variable);
  for (size_t n = 0; n < lengths.size(); ++n)
    type = replaced(type, "#" + std::to_string(n), frame + "->" + lengths[n].field);
  return type;
}

std::string with_own_lengths(const Variable& variable) {
  std::string type = variable.type.sized;
  for (size_t n = 0; n < variable.type.lengths.size(); ++n)
    type = replaced(type, "#" + std::to_string(n), replaced(variable.type.lengths[n], "@", variable.name));
  return type;
}

std::string pointer_to(const std::string& type, bool is_array) { return replaced(type, "@", is_array ? "(*@)" : "*@"); }

std::string in_cast(const std::string& type) { return "(" + replaced(type, "@", "") + ")"; }

}  // namespace einkorn::compiler
