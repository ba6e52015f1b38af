#include "compiler/instances.h"

#include <algorithm>
#include <set>

#include "compiler/flow.h"
#include "compiler/reasons.h"

namespace einkorn::compiler {

namespace {

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* n) { return name == n; });
}

// Of what it uses of a section of an array or of memory that somebody around it reduces: its name is a pointer there.
std::string part_of_array(const Function& f, const Directive& task) {
  for (int i = task.parent; i >= 0; i = f.directives[size_t(i)].parent)
    for (const Clause& c : f.directives[size_t(i)].clauses)
      for (size_t n = 0; n < c.reduced.size(); ++n)
        for (const Use& u : f.uses)
          if (c.reduced[n].section && u.variable == c.variables[n] && task.statement.has(u.at))
            return f.variables[size_t(u.variable)].name;
  return "";
}

}  // namespace

int around(const Function& f, uint32_t at) {
  int inner = -1;
  for (int i = 0; i < int(f.directives.size()); ++i)
    if (f.directives[size_t(i)].statement.has(at)) inner = i;
  return inner;
}

bool is_in_taskgraph(const Function& f, uint32_t at) {
  return std::any_of(f.taskgraphs.begin(), f.taskgraphs.end(), [&](const Range& r) { return r.has(at); });
}

bool is_of_instance(const Function& f, int directive) {
  for (; directive >= 0; directive = f.directives[size_t(directive)].parent) {
    const Directive& d = f.directives[size_t(directive)];
    if (is_parallel(d)) return d.parent < 0 && d.kind != Directive::kept;
    if (d.task) return d.name == "task";
    if (d.simd || (d.kind == Directive::kept && !is_one_of(d.name, {"critical", "taskgroup", "section"}))) return false;
  }
  return true;
}

bool may_give_way(const Function& f, int directive) {
  for (; directive >= 0; directive = f.directives[size_t(directive)].parent) {
    const Directive& d = f.directives[size_t(directive)];
    if (d.kind == Directive::parallel) return d.parent < 0;
    if (d.task) return d.name == "task";
    if (!is_one_of(d.name, {"single", "master", "masked"})) return false;
    for (const Clause& c : d.clauses)
      if (!c.variables.empty()) return false;
  }
  return true;
}

int task_around(const Function& f, int directive) {
  while (directive >= 0 && !f.directives[size_t(directive)].task) directive = f.directives[size_t(directive)].parent;
  return directive;
}

bool is_in_region(const Function& f, int directive) {
  for (; directive >= 0; directive = f.directives[size_t(directive)].parent)
    if (is_parallel(f.directives[size_t(directive)])) return true;
  return false;
}

std::string why_none(const Function& f) {
  if (!f.why_not.empty()) return f.why_not;
  if (f.name == "main") return because(Why::main_function);
  if (!f.has_prototype) return because(Why::no_prototype);
  if (f.result.varies || f.result.local || f.result.is_volatile || f.result.holds_const)
    return because(Why::value_type);
  for (const Return& r : f.returns)
    if (r.in_macro) return because(Why::returns_by_macro);
  for (const Directive& d : f.directives) {
    if (is_parallel(d)) return because(Why::has_region);
    if (d.kind != Directive::kept || is_one_of(d.name, {"single", "scope", "ordered"}))
      return because(Why::has_directive, {d.name});
  }
  // The call is one of the function, as OpenMP's, with all that is below: few would be left for instances, and these
  // would make the others dearer. Not if it is made instead of a task, below a cut-off.
  std::set<uint32_t> tasks;
  for (const Directive& d : f.directives)
    if (d.task) tasks.insert(d.pragma.begin);
  for (const Call& c : f.calls) {
    if (c.callee != f.name || task_around(f, around(f, c.at)) >= 0 || is_instead(f.flow, c.whole.begin, tasks))
      continue;
    for (const uint32_t task : tasks)
      if (can_do_both(f.flow, c.whole.begin, task)) return because(Why::calls_itself);
  }
  return "";
}

const Call* call_of(const Function& f, const Directive& d) {
  if (!d.task || d.name != "task") return nullptr;
  for (const Clause& clause : d.clauses)
    if (clause.kind == Clause::private_) return nullptr;
  for (const Call& c : f.calls)
    if (c.whole.begin == d.statement.begin && c.whole.end == d.statement.end)
      return c.pure && c.keeps_value && (c.variable < 0 || !makes_own(d, c.variable)) ? &c : nullptr;
  return nullptr;
}

std::string why_no_instance(const Function& f, const Directive& d) {
  if (d.name != "task") return because(Why::task_kind, {d.name});
  if (is_in_taskgraph(f, d.pragma.begin)) return because(Why::task_in_taskgraph);
  if (!is_of_instance(f, d.parent)) return because(Why::task_in_construct);
  if (const std::string name = part_of_array(f, d); !name.empty()) return because(Why::task_part_of_array, {name});
  for (const Clause& clause : d.clauses) {
    const bool plain = clause.kind == Clause::shared || clause.kind == Clause::firstprivate ||
                       clause.kind == Clause::private_ || clause.kind == Clause::default_;
    if (!plain && !is_one_of(clause.name, {"untied", "mergeable"})) return because(Why::task_clause, {clause.name});
  }
  return "";
}

std::string name_of(const Function& f, const Directive& task) {
  return f.name + ":" + std::to_string(task.pragma.begin);
}

}  // namespace einkorn::compiler
