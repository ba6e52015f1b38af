#include "compiler/translate.h"

#include <algorithm>

#include "compiler/complexes.h"
#include "compiler/print.h"
#include "compiler/reasons.h"
#include "compiler/runs.h"
#include "compiler/taskgraph.h"
#include "compiler/text.h"

namespace einkorn::compiler {

namespace {

int translated(const std::vector<Plan>& plans) {
  return int(
      std::count_if(plans.begin(), plans.end(), [](const Plan& p) { return p.why_not.empty() && !is_procedure(p); }));
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

// " (what clang said first)"
std::string first_error(const std::string& messages) {
  const size_t error = messages.find("error: ");
  if (error == std::string::npos) return "";
  return " (" + messages.substr(error + 7, messages.find('\n', error) - error - 7) + ")";
}

// A file that was read, on its way to a translation.
class Making {
 public:
  Making(const Input& input, Reading&& reading) : input_(input), functions_(reading.unit.functions) {
    it_.reading = std::move(reading);
    it_.reading.unit.overwrites_dead = input.overwrites_dead;
    form(!input.is_c89 && input.no_procedures.empty());
    if (!input.no_procedures.empty()) it_.remarks.push_back({input.file, 1, "no procedures: " + input.no_procedures});
    if (input.is_c89)
      for (Plan& plan : it_.plans) leave(plan, because(Why::c89));
  }
  const Unit& unit() const { return it_.reading.unit; }
  const std::vector<Plan>& plans() const { return it_.plans; }

  // Where the text alone is in the way: why not without that, either.
  void say_of_text(const std::vector<Plan>& without) {
    for (Plan& plan : it_.plans)
      for (const Plan& other : without)
        if (plan.by_text && !plan.why_not.empty() && other.name == plan.name && !other.why_not.empty())
          plan.why_not = other.why_not, plan.why_line = other.why_line;
  }

  // Never a broken build: what does not parse is taken out again, first procedures, then one region at a time.
  Translation print_what_parses() {
    if (print() && it_.plans.front().why_not.empty() && is_procedure(it_.plans.front())) {
      std::string messages;
      if (parses(input_, it_.output, &messages)) return std::move(it_);
      form(false);
      it_.remarks.push_back(
          {input_.file, 1, "procedures do not compile here" + first_error(messages) + "; please report it"});
      print();
    }
    if (translated(it_.plans) == 0 || parses(input_, it_.output)) return std::move(it_);
    for (Plan& alone : it_.plans) {
      if (!alone.why_not.empty()) continue;
      std::vector<Plan> one = it_.plans;
      for (Plan& other : one)
        if (other.name != alone.name) other.why_not = "left out to find out about another";
      std::string messages;
      if (parses(input_, compiler::print(it_.reading.unit, one), &messages)) continue;
      leave(alone, because(Why::does_not_compile, {first_error(messages)}));
    }
    if (!print() || parses(input_, it_.output)) return std::move(it_);
    it_.output = it_.reading.unit.text;
    for (Plan& plan : it_.plans)
      if (plan.why_not.empty()) leave(plan, because(Why::file_does_not_compile));
    return std::move(it_);
  }

 private:
  // From what was read: procedures are marked in it.
  void form(bool with_procedures) {
    it_.reading.unit.functions = functions_;
    it_.reading.unit.procedures.clear();
    Formed formed = input_.complexes ? form_complexes(it_.reading.unit) : form_all(it_.reading.unit, with_procedures);
    it_.plans = std::move(formed.plans);
    it_.remarks = std::move(formed.remarks);
    for (Plan& plan : it_.plans)
      for (const auto& [name, why] : input_.refused)
        if (plan.name == name && plan.why_not.empty()) leave(plan, why);
  }
  // Is there anything of it that is not as it was?
  bool print() {
    it_.output = compiler::print(it_.reading.unit, it_.plans);
    return translated(it_.plans) > 0;
  }

  const Input& input_;
  const std::vector<Function> functions_;
  Translation it_;
};

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
      if (change.begin >= f.whole.begin)
        part.names.push_back(unit.text.substr(change.begin, change.end - change.begin));
    bool any = false;
    part.conditions = !is_balanced(unit.text, part.part, &any);
    if (part.conditions) part.part = f.whole;
    parts.push_back(std::move(part));
  }
  return parts;
}

// The file with its runs of tasks, read again; as it was, where that does not parse.
Reading read_with_runs(const Input& input, Reading&& before, const std::vector<std::string>& flags,
                       std::vector<Remark>& remarks, std::vector<std::string>& names) {
  if (input.is_c89 || before.unit.runs.empty()) return std::move(before);
  const ChosenRuns chosen = choose_runs(before.unit, input.refused);
  Reading after;
  const std::string text = with_runs(before.unit, chosen);
  if (text != before.unit.text) after = read(input.file, &text, flags);
  const auto say = [&](const TaskRun& r, const std::string& what) {
    remarks.push_back({r.file, r.line, "tasks of " + r.function + "(): " + what});
  };
  for (const TaskRun* r : chosen.replayed) {
    if (after.parsed) names.push_back(r->name);
    say(*r, after.parsed ? "a graph, replayed where it comes again"
                         : because(Why::run_does_not_compile, {first_error(after.messages)}));
  }
  for (const auto& [r, why] : chosen.left) say(*r, why);
  return after.parsed ? std::move(after) : std::move(before);
}

Translation translate_read(const Input& input, Reading&& reading, const std::string& text,
                           const std::vector<std::string>& flags);

}  // namespace

Translation translate(const Input& input) {
  std::string text = with_taskgraphs(input.text, input.file);
  std::vector<std::string> flags = input.flags;
  if (text != input.text) flags.push_back("-I" + input.headers);
  Reading reading = read(input.file, text != input.text || !input.on_disk ? &text : nullptr, flags);
  if (!reading.parsed || reading.unit.text != text) {
    Translation none;
    none.reading = std::move(reading);
    none.output = input.text;
    return none;
  }
  std::vector<Remark> remarks;
  std::vector<std::string> names;
  if (!reading.unit.runs.empty() && text == input.text) flags.push_back("-I" + input.headers);
  reading = read_with_runs(input, std::move(reading), flags, remarks, names);
  text = reading.unit.text;
  Translation made = translate_read(input, std::move(reading), text, flags);
  made.remarks.insert(made.remarks.end(), remarks.begin(), remarks.end());
  made.runs = std::move(names);
  return made;
}

namespace {

Translation translate_read(const Input& input, Reading&& reading, const std::string& text,
                           const std::vector<std::string>& flags) {
  const bool is_changed = text != input.text;
  Making making(input, std::move(reading));
  const std::vector<ToExpand> parts = to_expand(making.unit(), making.plans());
  // What a macro stands for is known of clang's reading alone: not where the file still asks which compiler it is.
  const bool is_settled = compilers_conditions(input.text, {0, uint32_t(input.text.size())}).empty();
  // And what counts would be counted by clang, no longer by the compiler behind.
  if (!parts.empty() && !input.is_c89 && is_settled && making.unit().counters.empty()) {
    const std::string replaced = expand(input.file, input.on_disk && !is_changed ? nullptr : &text, parts, flags);
    Reading of_replaced;
    if (!replaced.empty()) of_replaced = read(input.file, &replaced, flags);
    if (of_replaced.parsed) {
      of_replaced.unit.expanded = true;
      Making expanded(input, std::move(of_replaced));
      making.say_of_text(expanded.plans());
      if (translated(expanded.plans()) > translated(making.plans())) {
        Translation it = expanded.print_what_parses();
        if (translated(it.plans) > translated(making.plans())) return it;
      }
    }
  }
  return making.print_what_parses();
}

}  // namespace

}  // namespace einkorn::compiler
