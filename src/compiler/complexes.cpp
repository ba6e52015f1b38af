#include "compiler/complexes.h"

#include <algorithm>

#include "compiler/reasons.h"
#include "compiler/text.h"

namespace einkorn::compiler {

namespace {

// Codelets are in a table: 0 is the first one, and behind each there is the sync codelet that it ends at, if it is not
// the last one.
std::string codelet(const Plan& plan, size_t number) { return plan.name + "_" + std::to_string(number); }
std::string table(const Plan& plan) { return plan.name + "_codelets"; }

// The compiler behind gets the text of a region once, and makes a function of each codelet by beginning in it there:
// what cannot be reached before the next cut goes. So any control flow is right, loops and branches with sync points
// in them. Of a large text with many codelets that would be long to compile: they are one function with entries then.
bool is_cut(const Plan& plan) {
  constexpr uint64_t kMost = 4 << 20;
  const Range text = plan.function->directives[size_t(plan.region)].statement;
  return uint64_t(text.end - text.begin) * (plan.syncs.size() + 1) <= kMost;
}

}  // namespace

const char* complex_entry() { return "ek_entry"; }

std::string complex_begin(const Plan& plan, const Names& names) {
  const std::string parameter = "(ek_self *" + names.me + ")";
  const size_t count = plan.syncs.size() + 1;
  std::string out = "static ek_successor ";
  for (size_t k = 0; k < count; ++k) out += (k ? ", " : "") + codelet(plan, k) + parameter;
  out += ";\nstatic const ek_complex_codelet " + table(plan) + "[] = {{" + codelet(plan, 0) + ", " +
         std::to_string(plan.line) + "}";
  for (size_t k = 1; k < count; ++k) {
    const std::string line = std::to_string(plan.syncs[k - 1].line);
    out += ", {NULL, " + line + "}, {" + codelet(plan, k) + ", " + line + "}";
  }
  out += "};\n";
  if (count == 1)
    return out + plan.function->attributes + "static ek_successor EK_ALIGNED " + codelet(plan, 0) + parameter + " {\n";
  return out + plan.function->attributes + (is_cut(plan) ? "EK_CUT" : "static") + " ek_successor " + plan.name +
         "_text(ek_self *" + names.me + ", const uint32_t " + complex_entry() + ") {\n";
}

std::string complex_end(const Plan& plan, const Names& names) {
  const std::string& me = names.me;
  std::string out = "  EK_THEN(" + me + ", NULL);\n}\n";
  if (!plan.syncs.empty())
    for (size_t k = 0; k <= plan.syncs.size(); ++k)
      out += plan.function->attributes + "static ek_successor EK_ALIGNED " + codelet(plan, k) + "(ek_self *" + me +
             ") { return " + plan.name + "_text(" + me + ", " + std::to_string(k) + "); }\n";
  return out + line_directive(plan.line, plan.function->file) + "static ek_next " + plan.name + "_run(ek_self *" + me +
         ") { return ek_chain(" + me + ", " + table(plan) + "); }\n";
}

std::string complex_give_way(const Plan& plan, const Names& names, size_t number) {
  return "EK_THEN(" + names.me + ", &" + table(plan) + "[" + std::to_string(2 * number + 1) + "]);";
}

Formed form_complexes(const Unit& unit) {
  Formed formed{form(unit), {}};
  for (Plan& plan : formed.plans) {
    plan.after = plan.function->whole.end;
    plan.is_complex = true;
  }
  const auto is_left = [&](const Function& f, const Directive& d) {  // with its region
    return std::any_of(formed.plans.begin(), formed.plans.end(), [&](const Plan& plan) {
      return plan.function == &f && !plan.why_not.empty() &&
             f.directives[size_t(plan.region)].statement.has(d.pragma.begin);
    });
  };
  for (const Function& f : unit.functions)
    for (const Directive& d : f.directives)
      if (d.task && !is_left(f, d))
        formed.remarks.push_back(
            {f.file, d.line, "task of " + f.name + "(): stays OpenMP's: " + because(Why::of_complexes)});
  return formed;
}

}  // namespace einkorn::compiler
