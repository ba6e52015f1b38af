#include "compiler/procedures.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/body.h"
#include "compiler/text.h"

namespace einkorn::compiler {

namespace {

using Set = std::set<std::string>;

bool is_one_of(const std::string& name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* n) { return name == n; });
}

// The innermost directive around that place, -1: none.
int around(const Function& f, uint32_t at) {
  int inner = -1;
  for (int i = 0; i < int(f.directives.size()); ++i)
    if (f.directives[size_t(i)].statement.has(at)) inner = i;
  return inner;
}

// Is the current task there that of the function's or of its region's instance?
bool is_of_instance(const Function& f, int directive) {
  for (; directive >= 0; directive = f.directives[size_t(directive)].parent) {
    const Directive& d = f.directives[size_t(directive)];
    if (is_parallel(d)) return d.parent < 0 && d.kind != Directive::kept;
    if (d.simd || (d.kind == Directive::kept && !is_one_of(d.name, {"critical", "taskgroup", "section"}))) return false;
  }
  return true;
}

// May it give way there? Not in what has variables of its own, nor where the runtime has something open.
bool may_give_way(const Function& f, int directive) {
  for (; directive >= 0; directive = f.directives[size_t(directive)].parent) {
    const Directive& d = f.directives[size_t(directive)];
    if (d.kind == Directive::parallel) return d.parent < 0;
    if (!is_one_of(d.name, {"single", "master", "masked"})) return false;
    for (const Clause& c : d.clauses)
      if (!c.variables.empty()) return false;
  }
  return true;
}

// What a function could be a procedure for; "": nothing speaks against it.
std::string why_none(const Function& f) {
  if (!f.why_not.empty()) return f.why_not;
  if (f.name == "main") return "it is main()";
  if (!f.has_prototype) return "it has no prototype, or parameters without a name or number";
  if (f.result.varies || f.result.local || f.result.is_volatile) return "the type of its value cannot be had elsewhere";
  for (const Return& r : f.returns)
    if (r.in_macro) return "a macro returns from it";
  for (const Directive& d : f.directives) {
    if (is_parallel(d)) return "it has a region";
    if (d.kind != Directive::kept) return "it has '" + d.name + "' for the threads of a region";
  }
  return "";
}

class Deciding {
 public:
  explicit Deciding(Unit& unit) : unit_(unit), original_(unit.functions) {
    Set twice;
    for (const Function& f : original_)
      if (!by_name_.emplace(f.name, &f).second) twice.insert(f.name);
    for (const std::string& name : twice) by_name_.erase(name);
  }

  Formed run() {
    for (const auto& [name, f] : by_name_)
      if (const std::string why = why_none(*f); why.empty()) possible_.insert(name);
      else why_[name] = why;
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

  // Calls that an instance could make itself: by name of who calls, the callees.
  std::map<std::string, Set> calls() const {
    std::map<std::string, Set> edges;
    for (const auto& [name, f] : by_name_) {
      Set tasked{name};
      for (const Directive& d : f->directives)
        if (const Call* c = call_of(*f, d)) tasked.insert(c->callee);
      // What a function does by tasks, too, is not to be dearer where it does without: a cut-off.
      for (const Call& c : f->calls)
        if (possible_.count(name) && possible_.count(c.callee) && !tasked.count(c.callee) && c.keeps_value &&
            may_give_way(*f, around(*f, c.at)))
          edges[name].insert(c.callee);
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

  // procedures_: those that are worth it.
  void decide() {
    called_ = calls();
    const std::map<std::string, Set> before = called_;
    for (auto& [name, callees] : called_)
      for (auto it = callees.begin(); it != callees.end();) {
        Set seen;
        it = reaches(before, *it, name, seen) ? callees.erase(it) : std::next(it);
      }
    Set with_tasks;
    for (const std::string& name : possible_)
      for (const Directive& d : by_name_.at(name)->directives)
        if (is_of_instance(*by_name_.at(name), d.parent) && (d.task || d.name == "taskwait")) with_tasks.insert(name);
    close(with_tasks, with_tasks, called_);
    procedures_.clear();
    bound_.clear();
    for (const std::string& name : with_tasks) is_bound(name);
    invokable_ = with_tasks;
    for (const std::string& name : with_tasks)
      if (!bound_[name].empty()) invokable_.erase(name);
    for (const Function& f : original_)
      for (const Directive& d : f.directives)
        if (why_not_invoked(f, d).empty()) {
          procedures_.insert(call_of(f, d)->callee);
          if (with_tasks.count(f.name)) procedures_.insert(f.name);
        }
    close(procedures_, with_tasks, called_);
  }
  // Who calls one of the set, if it is in `among` or may be.
  void close(Set& set, const Set& among, const std::map<std::string, Set>& edges) const {
    for (bool more = true; more;) {
      more = false;
      for (const auto& [name, callees] : edges)
        for (const std::string& callee : callees)
          if (set.count(callee) && (&set == &among || among.count(name))) more |= set.insert(name).second;
    }
  }

  // Why the function may have to stay on its thread; "": it need not.
  const std::string& is_bound(const std::string& name) {
    if (const auto found = bound_.find(name); found != bound_.end()) return found->second;
    std::string& why = bound_[name];
    const Function& f = *by_name_.at(name);
    for (const Note& n : f.notes) {
      const int inner = around(f, n.at);
      if (n.kind == Note::binds && is_of_instance(f, inner) && why.empty()) why = n.why;
    }
    if (const auto it = called_.find(name); it != called_.end())
      for (const std::string& callee : it->second)
        if (const std::string& its = is_bound(callee); why.empty()) why = its;
    return why;
  }

  // The call that is all of a task.
  static const Call* call_of(const Function& f, const Directive& d) {
    if (!d.task || d.name != "task") return nullptr;
    for (const Call& c : f.calls)
      if (d.statement.has(c.at) && c.whole.begin == d.statement.begin && c.whole.end == d.statement.end) return &c;
    return nullptr;
  }

  // "": the task is an invocation.
  std::string why_not_invoked(const Function& f, const Directive& d) const {
    if (!d.task) return "it is no task";
    const Call* c = call_of(f, d);
    if (!c) return "it is more than a call of one function of this file";
    const std::string callee = c->callee + "()";
    if (!by_name_.count(c->callee)) return callee + " is not defined in this file";
    if (const auto it = why_.find(c->callee); it != why_.end()) return callee + " is no procedure: " + it->second;
    if (const auto it = bound_.find(c->callee); it != bound_.end() && !it->second.empty())
      return callee + " may have to stay on its thread: " + it->second;
    if (!invokable_.count(c->callee)) return "nothing in " + callee + " waits or makes tasks";
    if (!is_of_instance(f, d.parent)) return "it is in another construct";
    if (unmarked_.count(f.name)) return "its region is not translated so";
    if (!c->pure) return "what it hands over changes something, or calls a function";
    if (!c->keeps_value) return "the value of " + callee + " is not used, or is changed to another type";
    if (c->arguments.size() != by_name_.at(c->callee)->parameters.size()) return callee + " has other parameters";
    for (const Clause& clause : d.clauses) {
      const bool plain = clause.kind == Clause::shared || clause.kind == Clause::firstprivate ||
                         clause.kind == Clause::private_ || clause.kind == Clause::default_;
      if (!plain && !is_one_of(clause.name, {"untied", "mergeable"}))
        return "its clause '" + clause.name + "' is a task's";
      if (clause.kind == Clause::private_ && !clause.variables.empty()) return "it has a variable of its own";
    }
    if (c->variable >= 0 && makes_own(d, c->variable)) return "the value goes to a variable of its own";
    return "";
  }

  void mark(Function& f) {
    const Function original = f;
    const bool procedure = procedures_.count(f.name) && by_name_.count(f.name);
    for (size_t i = 0; i < f.directives.size(); ++i) {
      Directive& d = f.directives[i];
      if (why_not_invoked(original, d).empty()) {
        const size_t call = size_t(call_of(original, d) - original.calls.data());
        const int of = around(f, d.pragma.begin);
        if (!procedure && of < 0) continue;  // no instance makes it
        d.kind = Directive::invoke;
        d.call = int(call);
        d.task = false;
        d.clauses.clear();
        d.firstprivate.clear();
        take_address(f, original.calls[call]);
      } else if (procedure && d.name == "taskwait" && d.clauses.empty() && may_give_way(original, d.parent)) {
        d.kind = Directive::taskwait;
      }
    }
    for (Call& c : f.calls) {
      const int inner = around(original, c.at);
      if (!procedures_.count(c.callee) || !c.keeps_value || !may_give_way(original, inner) || unmarked_.count(f.name))
        continue;
      // By an instance of the function, or of a region in it.
      const auto edges = called_.find(f.name);
      if (procedure ? edges == called_.end() || !edges->second.count(c.callee) : inner < 0 || c.form == Call::returns)
        continue;
      c.is_called = true;
      take_address(f, c);
    }
    if (procedure) begin(f);
  }
  static void take_address(Function& f, const Call& c) {
    if (c.variable >= 0) f.variables[size_t(c.variable)].address_taken = true;
  }
  void begin(Function& f) {
    Directive body;
    body.kind = Directive::function;
    body.name = "function";
    body.statement = f.body;
    body.pragma = {f.body.begin, f.body.begin};
    body.line = f.line + uint32_t(newlines(unit_.text.substr(f.whole.begin, f.body.begin - f.whole.begin)));
    for (Directive& d : f.directives) ++d.parent;
    f.directives.insert(f.directives.begin(), body);
    Procedure it;
    it.name = f.name + "_" + std::to_string(f.line);
    Plan plan;
    plan.function = &f;
    for (const int v : f.parameters) it.fields.push_back(field(plan, v));
    unit_.procedures[f.name] = std::move(it);
  }

  Formed all() {
    Formed formed;
    for (const Function& f : unit_.functions)
      if (unit_.procedures.count(f.name)) formed.plans.push_back(form_function(unit_, f));
    for (Plan& region : form(unit_)) formed.plans.push_back(std::move(region));
    for (Plan& plan : formed.plans) measure(plan);
    return formed;
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
    if (!is_function(plan) || !plan.why_not.empty()) return;
    std::set<int> all, lasting;
    for (size_t v = 0; v < plan.own.size(); ++v)
      if (plan.own[v]) lasting.insert(int(v));
    for (const Sync& s : plan.syncs) lasting.insert(s.live.begin(), s.live.end());
    all = lasting;
    all.insert(f.parameters.begin(), f.parameters.end());
    uint64_t bytes = f.result.text.empty() ? 4 : 12;
    for (const int v : all) bytes += f.variables[size_t(v)].type.bytes;
    plan.has_own = (bytes > kShort && !lasting.empty()) || !plan.calls.empty();
    unit_.procedures[f.name].has_own = plan.has_own;
  }

  // A function that cannot be one is none; a region that can without marks has none.
  bool is_to_be_done_again(const Formed& formed) {
    bool again = false;
    for (const Plan& plan : formed.plans) {
      if (plan.why_not.empty()) continue;
      const std::string& name = plan.function->name;
      if (is_function(plan)) {
        possible_.erase(name);
        why_[name] = plan.why_not;
        failed_.push_back({plan.function->file, plan.why_line, "function " + name + "(): stays OpenMP's: " + plan.why_not});
        again = true;
      } else if (!unmarked_.count(name) && has_marks(*plan.function)) {
        again = unmarked_.insert(name).second;
      }
    }
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
    const Function& f = *plan.function;
    for (size_t i = size_t(plan.region); i < f.directives.size(); ++i)
      if (f.directives[i].kind == Directive::invoke &&
          is_inside(f.directives[size_t(plan.region)], f.directives[i].pragma.begin))
        names.insert(f.calls[size_t(f.directives[i].call)].callee);
    return names;
  }

  // Procedures that no region needs go; the codelets of all stand behind all that they need.
  void finish(Formed& formed) {
    std::map<std::string, Set> edges;
    for (const Plan& plan : formed.plans)
      if (is_function(plan)) edges[plan.function->name] = needs(plan);
    Set needed;
    for (Plan& plan : formed.plans) {
      plan.after = plan.function->whole.end;
      Set seen;
      for (const std::string& name : needs(plan))
        if (seen.insert(name).second) reaches(edges, name, "", seen);
      for (const std::string& name : seen) plan.after = std::max(plan.after, by_name_.at(name)->whole.end);
      if (!is_function(plan) && plan.why_not.empty()) needed.insert(seen.begin(), seen.end());
    }
    formed.plans.erase(std::remove_if(formed.plans.begin(), formed.plans.end(),
                                      [&](const Plan& p) { return is_function(p) && !needed.count(p.function->name); }),
                       formed.plans.end());
    formed.remarks = failed_;
    for (const Plan& plan : formed.plans) remarks(plan, formed);
  }
  void remarks(const Plan& plan, Formed& formed) const {
    if (!plan.why_not.empty()) return;
    const Function& f = *plan.function;
    const Directive& region = f.directives[size_t(plan.region)];
    const Function& original = *by_pointer(f);
    for (const Directive& d : original.directives) {
      if (!d.task || !region.statement.has(d.pragma.begin)) continue;
      const std::string why = why_not_invoked(original, d);
      formed.remarks.push_back({f.file, d.line,
                                "task of " + f.name + "(): " +
                                    (why.empty() ? "invokes " + unit_.procedures.at(call_of(original, d)->callee).name
                                                 : "stays OpenMP's: " + why)});
    }
  }

  Unit& unit_;
  const std::vector<Function> original_;
  std::map<std::string, const Function*> by_name_;
  Set possible_, procedures_, invokable_, unmarked_;
  std::map<std::string, std::string> why_, bound_;
  std::map<std::string, Set> called_;
  std::vector<Remark> failed_;
};

}  // namespace

Formed form_all(Unit& unit, bool with_procedures) {
  if (with_procedures) return Deciding(unit).run();
  Formed formed{form(unit), {}};
  for (Plan& plan : formed.plans) plan.after = plan.function->whole.end;
  return formed;
}

}  // namespace einkorn::compiler
