#include "compiler/named.h"

#include <algorithm>

#include "compiler/reach.h"
#include "compiler/reasons.h"
#include "compiler/text.h"

namespace einkorn::compiler {

namespace {

// Does it name a struct, union or enum? Such names are their own, and a variable may have the same.
bool is_tag(const std::string& text, uint32_t at) {
  const size_t end = text.find_last_not_of(" \t\r\n", at == 0 ? 0 : at - 1);
  if (end == std::string::npos || end + 1 == at) return false;
  const size_t begin = text.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$", end);
  const std::string before = text.substr(begin + 1, end - begin);
  return before == "struct" || before == "union" || before == "enum";
}

class Naming {
 public:
  Naming(const Unit& unit, Plan& plan)
      : unit_(unit), plan_(plan), f_(*plan.function), d_(f_.directives[size_t(plan.region)]) {}

  std::optional<NotNamed> run() {
    for (const Use& u : f_.uses) {
      const Reach r = plan_.reach[size_t(u.variable)];
      if (is_inside(d_, u.at) && u.in_macro && (r == Reach::pointer || r == Reach::frame) &&
          owner(f_, plan_.region, u) < 0)
        return NotNamed{u.at, because(Why::macro_names_shared, {f_.variables[size_t(u.variable)].name}), true};
    }
    for (const auto& [at, name] : f_.constants_in_macros)
      if (is_inside(d_, at)) declared_outside(name, at);
    for (const Word& w : words(unit_.text, d_.statement)) {
      if (found_) break;
      if (!w.member && (!w.preprocessor || w.pragma)) word(w, unit_.text.substr(w.at.begin, w.at.end - w.at.begin));
    }
    return found_;
  }

 private:
  void leave(uint32_t at, const std::string& why) {
    if (!found_) found_ = NotNamed{at, why, false};
  }

  // The type, constant or function that is called so there, if the function declares it, and outside of the region; -1.
  // (Blocks, in the region too, may have their own of that name, and variables may hide it.)
  int of_function(const std::string& name, uint32_t at) const {
    int found = -1;
    for (size_t t = 0; t < f_.types.size(); ++t)
      if (f_.types[t] == name && f_.type_scopes[t].has(at) &&
          (found < 0 || f_.type_scopes[t].begin >= f_.type_scopes[size_t(found)].begin))
        found = int(t);
    if (found < 0 || d_.statement.has(f_.type_scopes[size_t(found)])) return -1;
    for (const Variable& v : f_.variables)
      if (v.name == name && !v.file_scope && v.scope.has(at) && v.scope.begin >= f_.type_scopes[size_t(found)].begin)
        return -1;
    return found;
  }

  void word(const Word& w, const std::string& name) {
    const bool is_named = std::binary_search(f_.named.begin(), f_.named.end(), w.at.begin);
    declared_outside(name, w.at.begin);
    if (is_named) return;
    bool is_name = false, is_known = false;
    for (const Variable& v : f_.variables)
      if (v.name == name) {
        is_name |= !v.file_scope && v.scope.has(w.at.begin);
        is_known |= v.at == w.at.begin && !v.file_scope;
      }
    if (!is_name || is_known) return;
    const auto use = std::lower_bound(f_.uses.begin(), f_.uses.end(), w.at.begin,
                                      [](const Use& u, uint32_t at) { return u.at < at; });
    const bool used = use != f_.uses.end() && use->at == w.at.begin && !use->in_macro;
    if (!used && w.pragma && is_word_of_openmp(unit_.text, f_, w.at)) return;
    if (!used && is_tag(unit_.text, w.at.begin)) return;
    if (!used) leave(w.at.begin, because(Why::not_understood, {name}));
    else if (use + 1 != f_.uses.end() && use[1].at == use->at && use[1].variable != use->variable && !use[1].in_macro)
      leave(w.at.begin, because(Why::two_variables, {name}));
  }

  // A constant can be declared again; a type would be another one.
  void declared_outside(const std::string& name, uint32_t at) {
    const int t = of_function(name, at);
    if (t < 0) return;
    const std::string& value = f_.type_values[size_t(t)];
    if (value.empty()) return leave(at, because(Why::declared_by_function, {name}));
    const std::string constant = name + " = " + value;
    if (std::find(plan_.constants.begin(), plan_.constants.end(), constant) == plan_.constants.end())
      plan_.constants.push_back(constant);
  }

  const Unit& unit_;
  Plan& plan_;
  const Function& f_;
  const Directive& d_;
  std::optional<NotNamed> found_;
};

}  // namespace

std::optional<NotNamed> find_names(const Unit& unit, Plan& plan) { return Naming(unit, plan).run(); }

std::optional<NotNamed> find_spelled(const Plan& plan) {
  const Function& f = *plan.function;
  for (const auto& [at, spelled] : f.strings) {
    if (!f.directives[size_t(plan.region)].statement.has(at)) continue;
    for (const Word& w : words(spelled, {0, uint32_t(spelled.size())})) {
      const std::string name = spelled.substr(w.at.begin, w.at.end - w.at.begin);
      for (size_t v = 0; v < f.variables.size(); ++v)
        if (f.variables[v].name == name && has_other_name(plan, int(v)))
          return NotNamed{at, because(Why::macro_spells, {name}), true};
    }
  }
  return std::nullopt;
}

}  // namespace einkorn::compiler
