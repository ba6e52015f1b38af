#include <algorithm>

#include "compiler/run_proofs.h"
#include "compiler/text.h"

namespace einkorn::compiler {

namespace {

using Refused = std::vector<std::pair<std::string, std::string>>;

std::string why_not(const TaskRun& r, const Refused& refused) {
  for (const auto& [name, why] : refused)
    if (name == r.name) return why;
  return why_no_run(r);
}

bool is_worth_it(const TaskRun& r) { return r.tasks > 1 || r.loops > 0; }

// The outermost that hold; but where each iteration makes the same tasks, those of an iteration: they come again.
// Is anything of it replayed?
bool choose(const TaskRun& r, const Refused& refused, ChosenRuns& chosen) {
  if (!is_worth_it(r)) return false;
  const auto choose_inner = [&](ChosenRuns& into) {
    bool any = false;
    for (const TaskRun& inner : r.inner) any |= choose(inner, refused, into);
    return any;
  };
  const std::string why = why_not(r, refused);
  if (ChosenRuns inner; r.repeats && choose_inner(inner)) {
    chosen.replayed.insert(chosen.replayed.end(), inner.replayed.begin(), inner.replayed.end());
    return true;
  }
  if (why.empty()) {
    chosen.replayed.push_back(&r);
    return true;
  }
  if (choose_inner(chosen)) return true;
  if (r.inner.empty() || !std::any_of(r.inner.begin(), r.inner.end(), is_worth_it)) chosen.left.emplace_back(&r, why);
  return false;
}

}  // namespace

ChosenRuns choose_runs(const Unit& unit, const Refused& refused) {
  ChosenRuns chosen;
  for (const TaskRun& r : unit.runs) choose(r, refused, chosen);
  return chosen;
}

std::string with_runs(const Unit& unit, const ChosenRuns& chosen) {
  if (chosen.replayed.empty()) return unit.text;
  Edits edits(unit.text);
  std::string declared;
  for (const TaskRun* r : chosen.replayed) {
    std::string values;
    int count = 0;
    for (const RunValue& v : compared(*r)) values += (count++ ? ", " : "") + v.expression;
    const std::string list = count ? "((const int64_t[]){" + values + "})" : "(NULL)";
    declared += "static ompx_taskgraph ek_" + r->name + " = OMPX_TASKGRAPH_NAMED(\"" + r->name + "\");\n";
    const uint32_t begin = line_begin(unit.text, r->statements.begin);
    // In front of a pragma, which has its line for itself.
    const bool pragma = unit.text[r->statements.begin] == '#';
    edits.insert(pragma ? begin : r->statements.begin, "EK_TASKS(&ek_" + r->name + ", " + std::to_string(count) + ", " +
                                                           list + ") {" +
                                                           (pragma ? "\n" + line_directive(r->line, r->file) : " "));
    const bool ends_line = unit.text[r->statements.end - 1] == '\n';
    edits.insert(
        r->statements.end,
        ends_line ? "}\n" + line_directive(line_at(unit.text, r->statements.begin, r->line, r->statements.end), r->file)
                  : " }");
  }
  uint32_t first = ~0u;
  for (const TaskRun* r : chosen.replayed)
    for (const Function& f : unit.functions)
      if (f.whole.has(r->statements.begin)) first = std::min(first, f.whole.begin);
  const bool begins_line = first == 0 || unit.text[first - 1] == '\n';
  const Function& before = *std::find_if(unit.functions.begin(), unit.functions.end(),
                                         [&](const Function& f) { return f.whole.begin == first; });
  edits.insert(first, std::string(begins_line ? "" : "\n") + (unit.has_omp_h ? "" : "#define EK_WITHOUT_OMP_H\n") +
                          "#include <einkorn/taskgraph.h>\n" + declared + line_directive(before.line, before.file));
  return edits.apply({0, uint32_t(unit.text.size())});
}

}  // namespace einkorn::compiler
