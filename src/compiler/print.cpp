#include "compiler/print.h"

#include <algorithm>
#include <map>

#include "compiler/codelets.h"
#include "compiler/names.h"
#include "compiler/text.h"

namespace einkorn::compiler {

namespace {

// Those whose codelets stand behind that function: who is called before who calls it.
std::vector<const Plan*> behind(const Function& f, const std::vector<Plan>& plans) {
  std::vector<const Plan*> order;
  const auto add = [&](const auto& again, const Plan& plan) -> void {
    if (!plan.why_not.empty() || plan.after != f.whole.end) return;
    if (std::find(order.begin(), order.end(), &plan) != order.end()) return;
    for (const std::string& callee : plan.calls)
      for (const Plan& other : plans)
        if (is_function(other) && other.function->name == callee) again(again, other);
    order.push_back(&plan);
  };
  for (const Plan& plan : plans) add(add, plan);
  return order;
}

}  // namespace

std::string print(const Unit& unit, const std::vector<Plan>& plans) {
  const Names names(unit);
  Edits edits(unit.text);
  std::map<const Function*, std::string> before;
  bool first = true;
  for (const Plan& plan : plans) {
    if (!plan.why_not.empty() || is_procedure(plan)) continue;
    const Function& f = *plan.function;
    const Codelets codelets(unit, plan, names, plans);
    before[&f] += codelets.declaration() + ";\n";
    const Directive& d = f.directives[plan.region];
    const size_t newline = unit.text.rfind('\n', d.pragma.begin);
    const uint32_t begin = uint32_t(newline + 1);
    const std::string indent = unit.text.substr(begin, d.pragma.begin - begin);
    // As the only statement of an if or a loop it has to stay one statement, with no else for anybody.
    edits.insert(begin, indent + (d.in_list ? "" : "{ ") + "if (" + codelets.call() + ") ; else\n" +
                            line_directive(plan.line, f.file));
    if (!d.in_list) edits.insert(d.statement.end, " }");
  }
  for (const Function& f : unit.functions) {
    std::string memory, code;
    const std::vector<const Plan*> here = behind(f, plans);
    const bool several = std::count_if(here.begin(), here.end(), [](const Plan* p) { return is_procedure(*p); }) > 1;
    for (const Plan* plan : here) {
      const Codelets codelets(unit, *plan, names, plans);
      (several && is_procedure(*plan) ? memory : code) += codelets.memory();  // they may call each other
      code += codelets.code();
    }
    if (!before.count(&f) && code.empty()) continue;
    const size_t at = f.whole.begin;
    const bool begins_line = at == 0 || unit.text[at - 1] == '\n';
    std::string ahead = begins_line ? "" : "\n";
    // A program without omp.h may have declared its functions otherwise.
    if (first && !unit.has_omp_h) ahead += "#define EK_WITHOUT_OMP_H\n";
    if (first) ahead += "#include <einkorn/codelet.h>\n";
    edits.insert(f.whole.begin, ahead + before[&f] + line_directive(f.line, f.file));
    if (!code.empty())
      edits.insert(f.whole.end,
                   "\nEK_GENERATED_BEGIN" + memory + code + "EK_GENERATED_END\n" + line_directive(f.end_line, f.file));
    first = false;
  }
  return edits.apply({0, uint32_t(unit.text.size())});
}

}  // namespace einkorn::compiler
