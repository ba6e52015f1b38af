#include "compiler/procedures.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/body.h"
#include "compiler/instances.h"
#include "compiler/reasons.h"
#include "compiler/text.h"

namespace einkorn::compiler {

namespace {

using Set = std::set<std::string>;

class Deciding {
 public:
  explicit Deciding(Unit& unit) : unit_(unit), original_(unit.functions) {
    Set twice;
    for (const Function& f : original_)
      if (!by_name_.emplace(f.name, &f).second) twice.insert(f.name);
    for (const std::string& name : twice) by_name_.erase(name);
    for (const Plan& region : form(unit))
      if (!region.why_not.empty()) hopeless_.insert(region.name);
  }

  Formed run() {
    for (const auto& [name, f] : by_name_)
      if (const std::string why = why_none(*f) + macro_behind(*f); why.empty()) possible_.insert(name);
      else why_[name] = why;
    for (const Function& f : original_)
      for (const Directive& d : f.directives)
        if (d.task && by_name_.count(f.name) && why_no_instance(f, d).empty()) possible_.insert(name_of(f, d));
    for (;;) {
      decide();
      for (Function& f : unit_.functions) f = *by_pointer(f);
      unit_.procedures.clear();
      for (Function& f : unit_.functions) mark(f);
      Formed formed = all();
      if (!is_to_be_done_again(formed)) {
        finish(formed);
        return formed;
      }
    }
  }

 private:
  const Function* by_pointer(const Function& marked) const {
    return &original_[size_t(&marked - unit_.functions.data())];
  }

  // Whose instance executes what stands in that directive; "": a region's, or a task that is none.
  std::string who(const Function& f, int directive) const {
    const int task = task_around(f, directive);
    if (task >= 0) return is_of_instance(f, directive) ? name_of(f, f.directives[size_t(task)]) : "";
    return is_in_region(f, directive) || !is_of_instance(f, directive) ? "" : f.name;
  }

  // Calls that an instance could make itself: by name of who calls, the callees.
  std::map<std::string, Set> calls() const {
    std::map<std::string, Set> edges;
    for (const auto& [name, f] : by_name_) {
      Set tasked{name};
      for (const Call& c : f->calls)
        if (task_around(*f, around(*f, c.at)) >= 0) tasked.insert(c.callee);
      for (const Call& c : f->calls) {
        const int inner = around(*f, c.at);
        const std::string caller = who(*f, inner);
        // What a function does by tasks, too, is not to be dearer where it does without: a cut-off.
        if (possible_.count(caller) && possible_.count(c.callee) && !(caller == name && tasked.count(c.callee)) &&
            c.keeps_value && may_give_way(*f, inner) && !is_in_taskgraph(*f, c.at))
          edges[caller].insert(c.callee);
      }
    }
    return edges;
  }
  static bool reaches(const std::map<std::string, Set>& edges, const std::string& from, const std::string& to,
                      Set& seen) {
    const auto it = edges.find(from);
    if (it == edges.end()) return false;
    for (const std::string& next : it->second)
      if (next == to || (seen.insert(next).second && reaches(edges, next, to, seen))) return true;
    return false;
  }

  // procedures_: those that are worth it, invoked by somebody or called by who is.
  void decide() {
    waiting_.clear();
    for (const auto& [name, f] : by_name_)
      for (const Directive& d : f->directives)
        if (const std::string by = who(*f, d.parent);
            possible_.count(by) && (d.task || d.name == "taskwait") && !is_in_taskgraph(*f, d.pragma.begin))
          waiting_.insert(by);
    called_.clear();
    const std::map<std::string, Set> edges = calls();
    // Those who call them, and those who call these; what would close a circle is left out.
    for (Set level = waiting_; !level.empty();) {
      Set next;
      for (const auto& [name, callees] : edges)
        for (const std::string& callee : callees) {
          Set seen;
          if (!level.count(callee) || reaches(called_, callee, name, seen)) continue;
          called_[name].insert(callee);
          if (waiting_.insert(name).second) next.insert(name);
        }
      level = std::move(next);
    }
    bound_.clear();
    for (const Function& f : original_)
      if (by_name_.count(f.name))
        for (const Note& n : f.notes)
          if (n.kind == Note::binds) bound_.emplace(who(f, around(f, n.at)), n.why);
    bound_.erase("");
    for (bool more = true; more;) {
      more = false;
      for (const auto& [name, callees] : called_)
        for (const std::string& callee : callees)
          if (bound_.count(callee)) more |= bound_.emplace(name, bound_[callee]).second;
    }
    procedures_.clear();
    for (const Function& f : original_)
      for (const Directive& d : f.directives)
        if (d.task && why_not_invoked(f, d).empty()) {
          procedures_.insert(invoked(f, d));
          if (const std::string by = who(f, d.parent); waiting_.count(by)) procedures_.insert(by);
        }
    for (bool more = true; more;) {
      more = false;
      for (const auto& [name, callees] : called_)
        for (const std::string& callee : callees) {
          if (procedures_.count(callee) && by_name_.count(name)) more |= procedures_.insert(name).second;
          if (procedures_.count(name)) more |= procedures_.insert(callee).second;
        }
    }
  }

  // Whose instance the task is.
  static std::string invoked(const Function& f, const Directive& d) {
    const Call* c = call_of(f, d);
    return c ? c->callee : name_of(f, d);
  }

  // "": the task is an invocation.
  std::string why_not_invoked(const Function& f, const Directive& d) const {
    if (const std::string why = why_no_instance(f, d); !why.empty()) return why;
    if (unmarked_.count(f.name)) return because(Why::region_without);
    const std::string its = invoked(f, d);
    if (const auto it = why_.find(its); it != why_.end()) return because(Why::no_procedure, {it->second});
    if (!waiting_.count(its)) return because(Why::nothing_waits);
    if (const auto it = bound_.find(its); it != bound_.end()) return because(Why::bound_to_thread, {it->second});
    return "";
  }

  void mark(Function& f) {
    const Function original = f;
    const bool procedure = procedures_.count(f.name) && by_name_.count(f.name);
    for (size_t i = 0; i < f.directives.size(); ++i) {
      Directive& d = f.directives[i];
      const std::string by = who(original, d.parent);
      // Made by an instance of the function, of a task, or of a region.
      const bool made = procedures_.count(by) ||
                        (by.empty() && is_in_region(original, d.parent) && task_around(original, d.parent) < 0);
      if (d.task && made && why_not_invoked(original, d).empty()) invoke(f, original, i);
      else if (procedures_.count(by) && d.name == "taskwait" && d.clauses.empty() && may_give_way(original, d.parent) &&
               !is_in_taskgraph(f, d.pragma.begin))
        d.kind = Directive::taskwait;
    }
    for (Call& c : f.calls) {
      const int inner = around(original, c.at);
      const std::string by = who(original, inner);
      const auto edges = called_.find(by);
      const bool own = procedures_.count(by) && edges != called_.end() && edges->second.count(c.callee);
      const bool of_region = by.empty() && is_in_region(original, inner) && task_around(original, inner) < 0 &&
                             c.form != Call::returns && !unmarked_.count(f.name);
      if (!procedures_.count(c.callee) || !c.keeps_value || !may_give_way(original, inner) || !(own || of_region) ||
          is_all_of_invocation(f, c) || is_in_taskgraph(f, c.at))
        continue;
      c.is_called = true;
      if (c.variable >= 0) f.variables[size_t(c.variable)].address_taken = true;
    }
    if (procedure) begin(f);
  }
  static bool is_all_of_invocation(const Function& f, const Call& c) {
    return std::any_of(f.directives.begin(), f.directives.end(), [&](const Directive& d) {
      return d.kind == Directive::invoke && d.call >= 0 && &f.calls[size_t(d.call)] == &c;
    });
  }
  void invoke(Function& f, const Function& original, size_t i) {
    Directive& d = f.directives[i];
    const Call* call = call_of(original, original.directives[i]);
    d.kind = Directive::invoke;
    d.task = false;
    if (call) {
      d.call = int(call - original.calls.data());
      d.clauses.erase(
          std::remove_if(d.clauses.begin(), d.clauses.end(), [](const Clause& c) { return c.kind != Clause::shared; }),
          d.clauses.end());
      d.firstprivate.clear();
      if (call->variable >= 0) f.variables[size_t(call->variable)].address_taken = true;
      return;
    }
    d.clauses.erase(
        std::remove_if(d.clauses.begin(), d.clauses.end(), [](const Clause& c) { return c.kind == Clause::other; }),
        d.clauses.end());
    for (const Use& u : f.uses)
      if (d.statement.has(u.at) && !d.statement.has(f.variables[size_t(u.variable)].at) && !makes_own(d, u.variable))
        f.variables[size_t(u.variable)].address_taken = true;
    unit_.procedures[name_of(f, d)].name = codelets_name(f, int(i));
  }
  std::string macro_behind(const Function& f) const {
    const Range* change = change_behind(unit_, f, f.whole);
    if (!change) return "";
    return because(Why::macro_changes_behind, {unit_.text.substr(change->begin, change->end - change->begin)});
  }
  // Where it returns once more before it makes any task, it mostly does so there: a cut-off.
  static bool ends_early(const Function& f) {
    uint32_t first = f.body.end;
    for (const Directive& d : f.directives) first = std::min(first, d.pragma.begin);
    const auto before =
        std::count_if(f.returns.begin(), f.returns.end(), [&](const Return& r) { return r.whole.begin < first; });
    return !f.early.condition.empty() && before == 1;
  }
  void begin(Function& f) {
    Procedure it;
    it.ends_early = ends_early(f);
    Directive body;
    body.kind = Directive::function;
    body.name = "function";
    body.statement = f.body;
    body.pragma = {f.body.begin, f.body.begin};
    body.line = line_at(unit_.text, f.whole.begin, f.line, f.body.begin);
    for (Directive& d : f.directives) ++d.parent;
    f.directives.insert(f.directives.begin(), body);
    it.name = codelets_name(f, 0);
    Plan plan;
    plan.function = &f;
    for (const int v : f.parameters) it.fields.push_back(field(plan, v));
    unit_.procedures[f.name] = std::move(it);
  }

  static std::string name_of(const Plan& plan) {
    return is_function(plan) ? plan.function->name
                             : compiler::name_of(*plan.function, plan.function->directives[size_t(plan.region)]);
  }
  static std::string name_of(const Function& f, const Directive& d) { return compiler::name_of(f, d); }

  Formed all() {
    Formed formed;
    for (const Function& f : unit_.functions)
      for (size_t i = 0; i < f.directives.size(); ++i)
        if (f.directives[i].kind == Directive::function || is_task_procedure(f.directives[i]))
          formed.plans.push_back(form_procedure(unit_, f, int(i)));
    for (Plan& region : form(unit_)) formed.plans.push_back(std::move(region));
    bytes_.clear();
    for (Plan& plan : formed.plans) measure(plan);
    for (Plan& plan : formed.plans) {
      if (is_procedure(plan) && !is_function(plan) && plan.why_not.empty()) weigh(plan);
      if (!is_procedure(plan)) wait_for(plan);
    }
    return formed;
  }
  // Names of procedures in a region, by its own instances, that are in the middle of something.
  void wait_for(Plan& plan) const {
    const Function& f = *plan.function;
    const Range region = f.directives[size_t(plan.region)].statement;
    if (unmarked_.count(f.name)) return;
    for (const Word& w : words(unit_.text, region)) {
      const std::string name = unit_.text.substr(w.at.begin, w.at.end - w.at.begin);
      if (!unit_.procedures.count(name) || by_name_.at(name)->result.text.empty() || bound_.count(name) ||
          !std::binary_search(f.named.begin(), f.named.end(), w.at.begin))
        continue;
      const int inner = around(f, w.at.begin);
      const bool done = std::any_of(f.calls.begin(), f.calls.end(), [&](const Call& c) {
        return c.at == w.at.begin && (c.is_called || is_all_of_invocation(f, c));
      });
      // A task of OpenMP's calls the function: a procedure in it would cost once more what a task does.
      if (!done && !is_elsewhere(plan, w.at.begin) && !is_in_taskgraph(f, w.at.begin) && task_around(f, inner) < 0 &&
          is_of_instance(f, inner))
        plan.waits_for.emplace_back(w.at.begin, name);
    }
  }
  // What is longer than this the runtime does not keep at hand (kShortFrame, src/runtime/task/instance.h).
  void measure(Plan& plan) {
    constexpr uint64_t kShort = 64;
    const Function& f = *plan.function;
    for (const Sync& s : plan.syncs)
      if (s.call >= 0) {
        const std::string& callee = f.calls[size_t(s.call)].callee;
        if (std::find(plan.calls.begin(), plan.calls.end(), callee) == plan.calls.end()) plan.calls.push_back(callee);
      }
    if (!is_procedure(plan) || !plan.why_not.empty()) return;
    std::set<int> all, lasting;
    for (size_t v = 0; v < plan.own.size(); ++v)
      if (plan.own[v]) lasting.insert(int(v));
    for (const Sync& s : plan.syncs) lasting.insert(s.live.begin(), s.live.end());
    all = lasting;
    all.insert(plan.captured.begin(), plan.captured.end());
    uint64_t bytes = f.result.text.empty() ? 4 : 12;
    for (const int v : all) bytes += f.variables[size_t(v)].type.bytes;
    bytes_[name_of(plan)] = bytes;
    plan.has_own = (bytes > kShort && !lasting.empty()) || !plan.calls.empty();
    unit_.procedures[name_of(plan)].has_own = plan.has_own;
  }

  // A task's statement with what it calls is one instance more than OpenMP has of it: where these are long, a task with
  // calls on the stack is quicker (uts of programs/, 600 bytes: by a fifth).
  void weigh(Plan& plan) {
    constexpr uint64_t kMost = 256;
    uint64_t all = bytes_[name_of(plan)];
    for (const std::string& callee : plan.calls) all += bytes_[callee];
    if (all <= kMost) return;
    plan.why_not = because(Why::too_long, {std::to_string(all)});
    plan.why_line = plan.line;
  }

  // What cannot be a procedure is none; then a region that can without marks has none.
  bool is_to_be_done_again(const Formed& formed) {
    bool again = false;
    for (const Plan& plan : formed.plans) {
      if (plan.why_not.empty() || !is_procedure(plan)) continue;
      const std::string name = name_of(plan), &file = plan.function->file;
      possible_.erase(name);
      why_[name] = plan.why_not;
      if (is_function(plan))
        failed_.push_back({file, plan.why_line, "function " + name + "(): stays OpenMP's: " + plan.why_not});
      again = true;
    }
    if (again) return true;
    for (const Plan& plan : formed.plans)
      if (!plan.why_not.empty() && !hopeless_.count(plan.name) && has_marks(*plan.function))
        again |= unmarked_.insert(plan.function->name).second;
    return again;
  }
  static bool has_marks(const Function& f) {
    return std::any_of(f.calls.begin(), f.calls.end(), [](const Call& c) { return c.is_called; }) ||
           std::any_of(f.directives.begin(), f.directives.end(),
                       [](const Directive& d) { return d.kind == Directive::invoke; });
  }

  // Who is called or invoked by that plan.
  static Set needs(const Plan& plan) {
    Set names(plan.calls.begin(), plan.calls.end());
    for (const auto& [at, name] : plan.waits_for) names.insert(name);
    const Function& f = *plan.function;
    for (size_t i = size_t(plan.region) + 1; i < f.directives.size(); ++i) {
      const Directive& d = f.directives[i];
      if (d.kind != Directive::invoke || !is_inside(f.directives[size_t(plan.region)], d.pragma.begin)) continue;
      names.insert(d.call < 0 ? name_of(f, d) : f.calls[size_t(d.call)].callee);
    }
    return names;
  }

  // Procedures that no region needs go; the codelets of all stand behind all that they need.
  void finish(Formed& formed) {
    std::map<std::string, Set> edges;
    std::map<std::string, uint32_t> end;
    for (const Plan& plan : formed.plans)
      if (is_procedure(plan)) edges[name_of(plan)] = needs(plan), end[name_of(plan)] = plan.function->whole.end;
    Set needed;
    for (Plan& plan : formed.plans) {
      plan.after = plan.function->whole.end;
      Set seen;
      for (const std::string& name : needs(plan))
        if (seen.insert(name).second) reaches(edges, name, "", seen);
      for (const std::string& name : seen) plan.after = std::max(plan.after, end[name]);
      if (!is_procedure(plan) && plan.why_not.empty()) needed.insert(seen.begin(), seen.end());
    }
    formed.plans.erase(std::remove_if(formed.plans.begin(), formed.plans.end(),
                                      [&](const Plan& p) { return is_procedure(p) && !needed.count(name_of(p)); }),
                       formed.plans.end());
    formed.remarks = failed_;
    for (const Function& f : original_)
      for (const Directive& d : f.directives)
        if (d.task) remark(f, d, formed);
  }
  // What became of a task; not of those in regions that stay OpenMP's as a whole.
  void remark(const Function& f, const Directive& d, Formed& formed) const {
    std::string why = because(Why::not_called, {f.name});
    for (const Plan& plan : formed.plans) {
      if (by_pointer(*plan.function) != &f) continue;
      if (!plan.function->directives[size_t(plan.region)].statement.has(d.pragma.begin)) continue;
      if (!plan.why_not.empty()) return;
      why.clear();
    }
    if (const std::string its = why_not_invoked(f, d); !its.empty()) why = its;
    const auto procedure = why.empty() ? unit_.procedures.find(invoked(f, d)) : unit_.procedures.end();
    if (procedure != unit_.procedures.end()) why = "invokes " + procedure->second.name;
    else why = "stays OpenMP's: " + (why.empty() ? because(Why::not_reached) : why);
    formed.remarks.push_back({f.file, d.line, "task of " + f.name + "(): " + why});
  }

  Unit& unit_;
  const std::vector<Function> original_;
  std::map<std::string, const Function*> by_name_;
  Set possible_, waiting_, procedures_, unmarked_, hopeless_;
  std::map<std::string, std::string> why_, bound_;
  std::map<std::string, uint64_t> bytes_;
  std::map<std::string, Set> called_;
  std::vector<Remark> failed_;
};

}  // namespace

Formed form_all(Unit& unit, bool with_procedures) {
  // By hand they may begin and end anywhere.
  const auto by_hand = std::find_if(unit.functions.begin(), unit.functions.end(),
                                    [](const Function& f) { return is_in_taskgraph(f, ~0u - 1); });
  if (with_procedures && by_hand == unit.functions.end()) return Deciding(unit).run();
  Formed formed{form(unit), {}};
  if (with_procedures)
    formed.remarks.push_back(
        {by_hand->file, by_hand->line,
         "function " + by_hand->name + "(): calls ompx_taskgraph_begin() by itself: no procedures in its file"});
  for (Plan& plan : formed.plans) plan.after = plan.function->whole.end;
  return formed;
}

}  // namespace einkorn::compiler
