#include "compiler/calls.h"

#include <algorithm>

#include "compiler/body.h"
#include "compiler/complexes.h"
#include "compiler/proofs.h"
#include "compiler/reach.h"

namespace einkorn::compiler {

// Live variables, before a sync point and behind it.
void Calls::live(const Sync& s, std::string& save, std::string& back) const {
  for (const int v : s.live) {
    const std::string kept = names_.own + "->" + field(plan_, v), name = variable(v).name;
    // A _Bool that nothing has set yet need not be one: sanitizers look at its value, but not at its bytes.
    const bool is_bool = variable(v).type.least == "0" && variable(v).type.most == "1" && !variable(v).is_register;
    save += save.empty() ? "" : ", ";
    save += is_bool ? "__builtin_memcpy(&" + kept + ", &" + name + ", sizeof " + name + ")" : kept + " = " + name;
    back += back.empty() ? "" : ", ";
    back += is_bool ? "__builtin_memcpy(&" + name + ", &" + kept + ", sizeof " + name + ")" : name + " = " + kept;
  }
  if (!save.empty()) save += "; ", back = " " + back + ";";
  if (unit_.overwrites_dead) back += overwrite_dead(s);
}

// A check of the plan by the machine: an object that a proof holds for dead, or not yet set, gets a value that nobody
// expects, so that the first program that reads it shows a wrong proof.
std::string Calls::overwrite_dead(const Sync& s) const {
  std::string out;
  for (int v = 0; v < int(f_.variables.size()); ++v) {
    if (!is_object(plan_, v) || plan_.own[size_t(v)] || std::find(s.live.begin(), s.live.end(), v) != s.live.end())
      continue;
    const Object o = object_of(plan_, v);
    const Variable& it = variable(v);
    if (it.is_register || it.type.is_const || it.type.varies || !o.name.has(s.inside) ||
        (o.inner && s.inside <= it.at) || !is_named_at(unit_, o, s) || (!o.inner && !is_printed(v)))
      continue;
    out += " __builtin_memset((void *)&" + it.name + ", 0xa5, sizeof " + it.name + ");";
  }
  return out;
}

// Has the codelets' function a local of that name for the private copy?
bool Calls::is_printed(int v) const {
  const Directive& d = f_.directives[size_t(plan_.region)];
  return std::any_of(f_.uses.begin(), f_.uses.end(), [&](const Use& u) {
    return u.variable == v && d.statement.has(u.at) && owner(f_, plan_.region, u) < 0;
  });
}

std::string Calls::give_way(size_t number, const char* why) const {
  std::string save, back;
  live(plan_.syncs[number], save, back);
  const std::string k = std::to_string(number + 1);
  const std::string yield = plan_.is_complex ? complex_give_way(plan_, names_, number)
                                             : "EK_YIELD(" + names_.me + ", " + k + ", " + why + ");";
  return save + yield + " " + names_.label + k + ":" + (back.empty() ? ";" : back);
}

// The address of what the call's value goes to; "": nothing.
std::string Calls::target_of(const Call& c) const {
  std::string target;
  if (c.form == Call::assigns) target.append("&").append(edits_.apply(c.target));
  if (target.rfind("&(*", 0) == 0 && target.find_first_of("[.->)") == target.size() - 1)
    target = target.substr(3, target.size() - 4);
  if (c.form == Call::declares) target = "&" + names_.own + "->" + field(plan_, c.variable);
  if (c.form == Call::returns) target = names_.frame + "->" + names_.result;
  return target;
}

// The frame of one, as the call fills it.
std::string Calls::frame_of(const Call& c) const {
  const Procedure& p = unit_.procedures.at(c.callee);
  std::string fields;
  for (size_t i = 0; i < c.arguments.size(); ++i)
    fields += (i ? ", ." : ".") + p.fields[i] + " = " + edits_.apply(c.arguments[i]);
  const std::string target = target_of(c);
  if (!target.empty()) fields += (fields.empty() ? "." : ", .") + names_.result + " = " + target;
  return "(struct " + p.name + "){" + (fields.empty() ? "0" : fields) + "}";
}

// Is it over before it has done anything? (What is given to it changes nothing, and may be asked for twice.)
std::string Calls::early_end_of(const Call& c) const {
  std::string given = target_of(c);
  for (const Range& argument : c.arguments) given.append(given.empty() ? "" : ", ").append(edits_.apply(argument));
  return unit_.procedures.at(c.callee).name + "_ends(" + given + ")";
}

void Calls::invoke(int directive) {
  const Directive& d = f_.directives[size_t(directive)];
  const uint32_t line = line_begin(unit_.text, d.statement.begin);
  const bool alone =
      line_begin(unit_.text, d.pragma.begin) == d.pragma.begin && is_blank(unit_.text, {line, d.statement.begin});
  const std::string indent = alone ? text({line, d.statement.begin}) : "";
  std::string name, frame, copies, unless;
  if (d.call >= 0) {
    const Call& c = f_.calls[size_t(d.call)];
    const Procedure& p = unit_.procedures.at(c.callee);
    name = p.name;
    frame = frame_of(c);
    if (p.ends_early && c.calls_nothing) unless = "if (!ek_may_do(" + names_.me + ") || !" + early_end_of(c) + ") ";
  } else {
    const Plan& task = *std::find_if(plans_.begin(), plans_.end(), [&](const Plan& p) {
      return p.function == plan_.function && p.region == directive;
    });
    name = task.name;
    frame = frame_of_task(task, copies);
  }
  const std::string call = "ek_invoke(" + names_.me + ", &" + name + ", &";
  const Range all{d.pragma.begin, d.statement.end};
  if (!unless.empty()) return edits_.replace(all, indent + "{ " + unless + call + frame + "); }");
  if (copies.empty()) return edits_.replace(all, indent + call + frame + ");");
  edits_.replace(all, indent + "{ struct " + name + " ek_frame = " + frame + "; " + copies + call + "ek_frame); }");
}

// copies: what no initializer can, of ek_frame.
std::string Calls::frame_of_task(const Plan& task, std::string& copies) const {
  std::string fields;
  for (const int v : task.captured) {
    const Reach reach = task.reach[size_t(v)];
    const std::string its = field(task, v), here = here_is(v, task.region);
    if (reach == Reach::copy) continue;
    if (reach == Reach::frame && variable(v).type.kind == Type::array) {
      copies += copy("ek_frame." + its, here, "ek_frame." + its) + " ";
      continue;
    }
    const bool by_value =
        reach == Reach::value || reach == Reach::first || reach == Reach::frame || reach == Reach::elements;
    fields += (fields.empty() ? "." : ", .") + its + " = ";
    if (by_value) fields += here;
    else fields += here.rfind("(*", 0) == 0 ? here.substr(2, here.size() - 3) : "&" + here;
  }
  return "(struct " + task.name + "){" + (fields.empty() ? "0" : fields) + "}";
}

// The variable, as the text of this codelet names it where that task is made.
std::string Calls::here_is(int v, int task) const {
  for (int i = f_.directives[size_t(task)].parent; i >= 0 && i != plan_.region; i = f_.directives[size_t(i)].parent)
    if (makes_own(f_.directives[size_t(i)], v)) return variable(v).name;
  if (plan_.own[size_t(v)]) return names_.own + "->" + field(plan_, v);
  if (plan_.reach[size_t(v)] == Reach::frame) return names_.frame + "->" + field(plan_, v);
  return plan_.reach[size_t(v)] == Reach::pointer ? "(*" + variable(v).name + ")" : variable(v).name;
}

void Calls::call(size_t number) {
  const Call& c = f_.calls[size_t(plan_.syncs[number].call)];
  const Procedure& p = unit_.procedures.at(c.callee);
  const std::string k = std::to_string(number + 1), its = names_.own + "->" + p.name;
  std::string save, back;
  live(plan_.syncs[number], save, back);
  // No assignment where the frame has a const member of somebody's struct.
  const bool assigns = std::none_of(unit_.functions.begin(), unit_.functions.end(), [](const Function& f) {
    return std::any_of(f.variables.begin(), f.variables.end(), [](const Variable& v) { return v.type.holds_const; });
  });
  const std::string begin = assigns ? its + " = " + frame_of(c) + ";" : copy("(void *)&" + its, "&" + frame_of(c), its);
  edits_.replace(c.whole, "{ " + save + begin + " " + names_.label + k + ": EK_GO_ON(" + names_.me + ", " + k + ", &" +
                              p.name + ", &" + its + ", " + (p.has_own ? "&" + its + "_own" : "NULL") + ", &" + its +
                              "." + names_.place + ");" + (c.form == Call::returns ? " return EK_END;" : back) + " }");
}

void Calls::returns() {
  for (const Return& r : f_.returns) {
    const bool done = std::any_of(f_.calls.begin(), f_.calls.end(),
                                  [&](const Call& c) { return c.is_called && c.whole.begin == r.whole.begin; });
    if (done) continue;
    std::string value = edits_.apply(r.value);
    if (value.find(',') != std::string::npos) value = "(" + value + ")";
    edits_.replace(r.whole, value.empty()
                                ? "return EK_END;"
                                : "{ *" + names_.frame + "->" + names_.result + " = " + value + "; return EK_END; }");
  }
}

}  // namespace einkorn::compiler
