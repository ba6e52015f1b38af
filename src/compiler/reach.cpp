#include "compiler/reach.h"

#include <algorithm>
#include <string>

namespace einkorn::compiler {

bool has_outer(const Plan& plan, const Range& whole, int variable) {
  const Function& f = *plan.function;
  for (size_t i = size_t(plan.region) + 1; i < f.directives.size() && whole.has(f.directives[i].pragma.begin); ++i)
    if (plan.bound[i] && f.directives[i].kind != Directive::kept && makes_own(f.directives[i], variable) &&
        !f.variables[variable].thread_local_)
      return true;
  return false;
}

bool has_nearer(const Plan& plan, const Directive& d, int variable) {
  const Function& f = *plan.function;
  for (int i = d.parent; i > plan.region; i = f.directives[size_t(i)].parent)
    if (makes_own(f.directives[size_t(i)], variable)) return true;
  return false;
}

bool needs_outer(const Plan& plan, const Range& whole, int variable) {
  const Function& f = *plan.function;
  for (size_t i = size_t(plan.region) + 1; i < f.directives.size(); ++i) {
    const Directive& d = f.directives[i];
    if (!whole.has(d.pragma.begin)) break;
    if (has_variable(d.firstprivate, variable) || has_variable(gives_back(d), variable)) return true;
    if (d.kind == Directive::kept && d.name == "simd" && has_variable(d.counters, variable)) return true;
    if (d.kind == Directive::kept && makes_own(d, variable) && asks_for(f, d, variable)) return true;
    for (const Clause& c : d.clauses)
      if (c.kind != Clause::private_ && has_variable(c.variables, variable)) return true;
  }
  return false;
}

bool elements_are_all(const Plan& plan, const Range& whole, int variable) {
  const Function& f = *plan.function;
  const Type& type = f.variables[variable].type;
  if (is_procedure(plan) || type.kind != Type::array || type.is_volatile || type.local) return false;
  if (type.element.empty() || type.element.find('[') != std::string::npos) return false;
  std::vector<Range> named;  // in clauses, as shared
  for (const Directive& d : f.directives) {
    if (!whole.has(d.pragma.begin)) continue;
    if (has_variable(d.firstprivate, variable)) return false;
    for (const Clause& c : d.clauses) {
      if (c.kind == Clause::shared) named.push_back(c.text);
      else if (has_variable(c.variables, variable)) return false;
    }
  }
  return std::all_of(f.uses.begin(), f.uses.end(), [&](const Use& u) {
    return u.variable != variable || !whole.has(u.at) || names_elements(u) ||
           std::any_of(named.begin(), named.end(), [&](const Range& clause) { return clause.has(u.at); });
  });
}

}  // namespace einkorn::compiler
