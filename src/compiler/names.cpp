#include "compiler/names.h"

#include <set>

#include "compiler/form.h"
#include "compiler/text.h"

namespace einkorn::compiler {

std::string copy(const std::string& to, const std::string& from, const std::string& of) {
  return "__builtin_memcpy(" + to + ", " + from + ", sizeof " + of + ");";
}

std::string declare(const std::string& type, const std::string& name) {
  std::string out = type;
  const size_t at = out.find('@');
  return at == std::string::npos ? out + " " + name : out.replace(at, 1, name);
}

std::string field(const Plan& plan, int variable) {
  const Function& f = *plan.function;
  for (int v = 0; v < int(f.variables.size()); ++v)
    if (v != variable && f.variables[v].name == f.variables[variable].name)
      return f.variables[variable].name + "_" + std::to_string(f.variables[variable].line) +
             (f.variables[v].line == f.variables[variable].line ? "_" + std::to_string(variable) : "");
  return f.variables[variable].name;
}

Names::Names(const Unit& unit) {
  std::set<std::string> taken(unit.macros.begin(), unit.macros.end());
  bool labels = false;
  for (const Word& w : words(unit.text, {0, uint32_t(unit.text.size())})) {
    std::string name = unit.text.substr(w.at.begin, w.at.end - w.at.begin);
    labels |= name.size() > 1 && name[0] == 'c' && name.find_first_not_of("0123456789", 1) == std::string::npos;
    taken.insert(std::move(name));
  }
  const auto choose = [&](const char* short_name) {
    return taken.count(short_name) ? std::string("ek_") + short_name : short_name;
  };
  me = choose("me");
  frame = choose("F");
  own = choose("I");
  from = choose("from");
  to = choose("to");
  count = choose("count");
  result = choose("result");
  place = choose("at");
  label = labels ? "ek_c" : "c";
}

}  // namespace einkorn::compiler
