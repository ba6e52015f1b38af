#include "compiler/tploop.h"

#include <algorithm>

#include "compiler/counters.h"
#include "compiler/scans.h"
#include "compiler/text.h"

namespace einkorn::compiler {

namespace {

// Directives that belong to whatever thread runs them, and need no region around them.
bool needs_no_region(const Directive& d) {
  return d.kind == Directive::kept && (d.name == "simd" || d.name == "critical" || d.name.rfind("atomic", 0) == 0);
}

bool may_run_anywhere(const Plan& plan) {
  const Function& f = *plan.function;
  const Directive& d = f.directives[size_t(plan.region)];
  if (!plan.free || d.kind != Directive::parallel_for || is_dealt(d) || !plan.syncs.empty()) return false;
  if (has_scan(d) || has_conditional(d) || !plan.calls.empty() || !plan.waits_for.empty()) return false;
  for (const Clause& c : d.clauses) {
    if (c.kind == Clause::copyin || (c.kind == Clause::reduction && c.number)) return false;
    for (const int v : c.variables)
      if (f.variables[size_t(v)].thread_local_ || begins_with_value(d, v)) return false;
  }
  const Range whole{d.pragma.begin, std::max(d.pragma.end, d.statement.end)};
  for (const Directive& inner : f.directives)
    if (&inner != &d && whole.has(inner.pragma.begin) && !needs_no_region(inner)) return false;
  return std::none_of(f.notes.begin(), f.notes.end(), [&](const Note& n) {
    return whole.has(n.at) && (n.kind == Note::binds || n.kind == Note::team);
  });
}

// Is the result the same wherever the range is cut? A sum of floating-point numbers is rounded there, and of a user's
// own operation nothing is known. A copy of a variable that each instance has of its own may take a value from one
// iteration to the next.
bool is_exact(const Plan& plan) {
  const Function& f = *plan.function;
  const Directive& d = f.directives[size_t(plan.region)];
  const auto is_written = [&](int v) {
    return std::any_of(f.uses.begin(), f.uses.end(),
                       [&](const Use& u) { return u.variable == v && u.how >= Use::write && d.statement.has(u.at); });
  };
  for (const Clause& c : d.clauses)
    for (size_t i = 0; i < c.variables.size(); ++i) {
      const int v = c.variables[i];
      if (v == d.loop.variable) continue;
      switch (c.kind) {
        case Clause::reduction:
          if (!c.reduced[i].plain || f.variables[size_t(v)].type.kind != Type::integer) return false;
          break;
        case Clause::firstprivate:
          if (f.variables[size_t(v)].type.kind > Type::complex || is_written(v)) return false;
          break;
        case Clause::private_:
        case Clause::lastprivate:
        case Clause::linear: return false;
        default: break;
      }
    }
  return true;
}

// As the function that runs the region can say it. Empty: the loop names what that function does not have.
std::string iterations(const Unit& unit, const Plan& plan, const std::vector<LoopParameter>& parameters) {
  const Function& f = *plan.function;
  const Loop& l = f.directives[size_t(plan.region)].loop;
  if (!plan.constants.empty() || !f.types.empty()) return "";
  Edits edits(unit.text);
  for (const Use& u : f.uses) {
    if (!l.first.has(u.at) && !l.bound.has(u.at) && !l.step.has(u.at)) continue;
    const Variable& v = f.variables[size_t(u.variable)];
    const auto its = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const LoopParameter& p) { return p.variable == u.variable; });
    if (its == parameters.end()) {
      if (plan.reach[size_t(u.variable)] != Reach::plain || !v.file_scope) return "";
    } else if (its->by_address) {
      if (u.in_macro) return "";
      edits.replace({u.at, u.at + uint32_t(v.name.size())}, "(*" + v.name + ")");
    }
  }
  // Mostly it is the bound. A negative number is as good as none.
  const std::string first = trimmed(unit.text.substr(l.first.begin, l.first.end - l.first.begin));
  if (first == "0" && l.up && l.step.empty() && !l.by_pointer)
    return l.inclusive ? "(int64_t)" + in_parentheses(edits.apply(l.bound)) + " + 1" : edits.apply(l.bound);
  return Counters(f, edits).count(l);
}

}  // namespace

RegionLoop loop_of_region(const Unit& unit, const Plan& plan, const std::vector<LoopParameter>& parameters) {
  if (is_procedure(plan) || plan.is_complex || !may_run_anywhere(plan)) return {};
  return {iterations(unit, plan, parameters), is_exact(plan)};
}

}  // namespace einkorn::compiler
