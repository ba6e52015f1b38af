#include "compiler/names.h"

#include <algorithm>
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
  std::set<std::string> macros(unit.macros.begin(), unit.macros.end());
  for (const Range& r : unit.macro_changes) macros.insert(unit.text.substr(r.begin, r.end - r.begin));
  std::set<std::string> taken = macros;
  const auto is_label = [](const std::string& name) {
    return name.size() > 1 && name[0] == 'c' && name.find_first_not_of("0123456789", 1) == std::string::npos;
  };
  bool labels = std::any_of(macros.begin(), macros.end(), is_label);
  for (const Word& w : words(unit.text, {0, uint32_t(unit.text.size())})) {
    std::string name = unit.text.substr(w.at.begin, w.at.end - w.at.begin);
    labels |= is_label(name);
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
  const auto member = [&](const std::string& name) { return macros.count(name) ? "ek_" + name : name; };
  its_frame = member("frame");
  its_own = member("own");
  its_at = member("at");
  its_id = member("id");
  its_n = member("n");
  for (const char* name : {"name", "file", "run", "frame_bytes", "own_bytes", "cbbs", "count", "flags"})
    by_order |= macros.count(name) != 0;
}

}  // namespace einkorn::compiler
