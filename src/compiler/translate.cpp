#include "compiler/translate.h"

#include <algorithm>

#include "compiler/print.h"
#include "compiler/taskgraph.h"
#include "compiler/text.h"

namespace einkorn::compiler {

namespace {

int translated(const std::vector<Plan>& plans) {
  return int(std::count_if(plans.begin(), plans.end(), [](const Plan& p) { return p.why_not.empty(); }));
}

void leave(Plan& plan, const std::string& why) {
  plan.why_not = why;
  plan.why_line = plan.line;
}

bool parses(const Input& input, const std::string& text, std::string* messages = nullptr) {
  std::vector<std::string> flags = input.flags;
  flags.push_back("-I" + input.headers);
  Reading again = read(input.file, &text, flags);
  if (messages) *messages = std::move(again.messages);
  return again.parsed;
}

// Never a broken build: what does not parse is taken out again, one region at a time if need be.
void print_what_parses(const Input& input, Translation& it) {
  const Unit& unit = it.reading.unit;
  it.output = print(unit, it.plans);
  if (translated(it.plans) == 0 || parses(input, it.output)) return;
  for (Plan& alone : it.plans) {
    if (!alone.why_not.empty()) continue;
    std::vector<Plan> one = it.plans;
    for (Plan& other : one)
      if (other.name != alone.name) other.why_not = "left out to find out about another";
    std::string messages;
    if (parses(input, print(unit, one), &messages)) continue;
    const size_t error = messages.find("error: ");
    const std::string what =
        error == std::string::npos ? "" : messages.substr(error + 7, messages.find('\n', error) - error - 7);
    leave(alone, "its codelets do not compile (" + what + "); please report it");
  }
  it.output = print(unit, it.plans);
  if (translated(it.plans) == 0 || parses(input, it.output)) return;
  it.output = unit.text;
  for (Plan& plan : it.plans)
    if (plan.why_not.empty()) leave(plan, "the file does not compile with its codelets; please report it");
}

// Where macros and conditions stand in the way of regions.
std::vector<ToExpand> to_expand(const Unit& unit, const std::vector<Plan>& plans) {
  std::vector<ToExpand> parts;
  for (const Plan& plan : plans) {
    if (plan.why_not.empty() || !plan.by_text) continue;
    const Function& f = *plan.function;
    const Directive& d = f.directives[plan.region];
    ToExpand part;
    part.part = f.by_macro ? f.whole : Range{d.pragma.begin, std::max(d.pragma.end, d.statement.end)};
    for (const Variable& v : f.variables) part.names.push_back(v.name);
    for (const Range& change : unit.macro_changes)
      if (f.whole.has(change.begin)) part.names.push_back(unit.text.substr(change.begin, change.end - change.begin));
    bool any = false;
    part.conditions = !is_balanced(unit.text, part.part, &any);
    if (part.conditions) part.part = f.whole;
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

Translation translate(const Input& input) {
  Translation it;
  it.output = input.text;
  const std::string text = with_taskgraphs(input.text, input.file);
  const bool has_taskgraphs = text != input.text;
  std::vector<std::string> flags = input.flags;
  if (has_taskgraphs) flags.push_back("-I" + input.headers);
  it.reading = read(input.file, has_taskgraphs ? &text : nullptr, flags);
  if (!it.reading.parsed || it.reading.unit.text != text) return it;
  if (has_taskgraphs) it.output = text;
  it.plans = form(it.reading.unit);
  if (input.is_c89)
    for (Plan& plan : it.plans) leave(plan, "the file is compiled as C89, which declares nothing in a for");
  // What a macro stands for is known of clang's reading alone: not where the file asks which compiler it is.
  const std::vector<ToExpand> parts = to_expand(it.reading.unit, it.plans);
  if (!parts.empty() && !input.is_c89 && !has_taskgraphs &&
      compilers_conditions(input.text, {0, uint32_t(input.text.size())}).empty()) {
    Translation expanded;
    const std::string replaced = expand(input.file, parts, input.flags);
    if (!replaced.empty()) expanded.reading = read(input.file, &replaced, input.flags);
    expanded.reading.unit.expanded = true;
    expanded.plans = form(expanded.reading.unit);
    if (expanded.reading.parsed && translated(expanded.plans) > translated(it.plans)) {
      print_what_parses(input, expanded);
      if (translated(expanded.plans) > translated(it.plans)) return expanded;
    }
  }
  print_what_parses(input, it);
  return it;
}

}  // namespace einkorn::compiler
