// Whose a variable is at a place, and whose the place.
#include <algorithm>

#include "compiler/reach.h"
#include "compiler/text.h"

namespace einkorn::compiler {

int owner(const Function& f, int region, const Use& use) {
  // The innermost directive around it, and then those around that.
  int inner = -1;
  for (int i = region; i < int(f.directives.size()); ++i)
    if (f.directives[i].statement.has(use.at)) inner = i;
    else if (f.directives[i].pragma.has(use.at) &&
             (use.how == Use::clause || f.directives[i].kind == Directive::kept) &&
             makes_own(f.directives[i], use.variable))
      return i;
  for (int i = inner; i >= 0 && i != region; i = f.directives[i].parent)
    if (makes_own(f.directives[i], use.variable)) return i;
  return -1;
}

bool asks_for(const Function& f, const Directive& d, int variable) {
  return std::any_of(f.uses.begin(), f.uses.end(), [&](const Use& u) {
    return u.variable == variable && std::any_of(d.clauses.begin(), d.clauses.end(), [&](const Clause& c) {
             return c.text.has(u.at) && !has_variable(c.variables, variable);
           });
  });
}

bool is_inside(const Directive& region, uint32_t at) {
  for (const Clause& c : region.clauses)
    if ((c.kind == Clause::schedule || c.kind == Clause::linear || c.kind == Clause::reduction ||
         c.kind == Clause::simd || c.kind == Clause::filter) &&
        c.text.has(at))
      return true;
  return region.statement.has(at);
}

bool is_plain(const Plan& plan, int variable) {
  const Variable& v = plan.function->variables[variable];
  if (plan.own[variable]) return false;
  if (plan.reach[variable] != Reach::plain)
    return plan.reach[variable] == Reach::copy || plan.reach[variable] == Reach::first ||
           plan.reach[variable] == Reach::reduced;
  return v.file_scope || plan.function->directives[plan.region].statement.has(v.at);
}

bool is_parallel(const Directive& d) {
  return d.kind == Directive::parallel || d.kind == Directive::parallel_for || d.kind == Directive::parallel_sections ||
         (d.kind == Directive::kept && d.name.find("parallel") != std::string::npos);
}

std::string codelets_name(const Function& f, int directive) {
  const Directive& it = f.directives[size_t(directive)];
  if (it.kind == Directive::function) return f.name + "_" + std::to_string(f.line);
  // A macro may make more than one of them in a line.
  const auto has_codelets = [](const Directive& d) { return d.name == "task" || (is_parallel(d) && d.parent < 0); };
  const long before = std::count_if(f.directives.begin(), f.directives.begin() + directive,
                                    [&](const Directive& d) { return d.line == it.line && has_codelets(d); }) +
                      (it.name == "task" && it.line == f.line);
  return f.name + "_" + std::to_string(it.line) + (before ? "_" + std::to_string(before + 1) : "");
}

bool is_elsewhere(const Plan& plan, uint32_t at) {
  const std::vector<Directive>& all = plan.function->directives;
  for (size_t i = size_t(plan.region) + 1; i < all.size(); ++i)
    if (is_task_procedure(all[i]) && all[i].statement.has(at)) return true;
  return false;
}

const Range* change_behind(const Unit& unit, const Function& f, Range part) {
  const auto is_named = [&](const Range& change) {
    return change.begin >= f.whole.end &&
           has_word(unit.text, part, std::string_view(unit.text).substr(change.begin, change.end - change.begin));
  };
  const auto it = std::find_if(unit.macro_changes.begin(), unit.macro_changes.end(), is_named);
  return it == unit.macro_changes.end() ? nullptr : &*it;
}

}  // namespace einkorn::compiler
