#include "compiler/body.h"

#include <algorithm>
#include <cctype>

#include "compiler/text.h"

namespace einkorn::compiler {

std::string declare(const std::string& type, const std::string& name) {
  std::string out = type;
  const size_t at = out.find('@');
  return at == std::string::npos ? out + " " + name : out.replace(at, 1, name);
}

std::string identity(const Clause& reduction, const Type& type) {
  if (reduction.op == "*" || reduction.op == "&&") return "1";
  if (reduction.op == "&") return "~0";
  if (reduction.op == "max") return type.least;
  if (reduction.op == "min") return type.most;
  return "0";
}

std::string combine(const std::string& op, const std::string& into, const std::string& from) {
  if (op == "max") return "if (" + into + " < " + from + ") " + into + " = " + from + ";";
  if (op == "min") return "if (" + from + " < " + into + ") " + into + " = " + from + ";";
  if (op == "&&" || op == "||") return into + " = " + into + " " + op + " " + from + ";";
  return into + " " + (op == "-" ? "+" : op) + "= " + from + ";";
}

std::string field(const Plan& plan, int variable) {
  const Function& f = *plan.function;
  for (int v = 0; v < int(f.variables.size()); ++v)
    if (v != variable && f.variables[v].name == f.variables[variable].name)
      return f.variables[variable].name + "_" + std::to_string(f.variables[variable].line) +
             (f.variables[v].line == f.variables[variable].line ? "_" + std::to_string(variable) : "");
  return f.variables[variable].name;
}

namespace {

class Body {
 public:
  Body(const Unit& unit, const Plan& plan, const Names& names, const std::vector<Plan>& plans)
      : unit_(unit), plan_(plan), f_(*plan.function), names_(names), plans_(plans), edits_(unit.text) {}

  std::string run() {
    const Directive& region = f_.directives[plan_.region];
    for (const Use& u : f_.uses) use(u);
    for (size_t v = 0; v < f_.variables.size(); ++v)
      if (plan_.own[v] && plan_.reach[v] == Reach::plain) declaration(int(v));
    for (size_t s = 0; s < plan_.syncs.size(); ++s)
      if (plan_.syncs[s].call >= 0) call(s);
    if (is_function(plan_)) returns();
    for (const auto& [at, name] : plan_.waits_for)
      edits_.replace({at, at + uint32_t(name.size())}, unit_.procedures.at(name).name + "_call");
    // From the inside out: what a loop's header is made of has been changed by then.
    for (int i = int(f_.directives.size()) - 1; i > plan_.region; --i) {
      const Directive& d = f_.directives[i];
      if (!region.statement.has(d.pragma.begin)) continue;
      if (!plan_.bound[i] || d.kind == Directive::kept) kept(d);
      else bound(i);
    }
    if (region.kind == Directive::parallel || is_procedure(plan_)) return edits_.apply(region.statement);
    loop(plan_.region, "", "", true);
    return edits_.apply(region.statement);
  }

 private:
  std::string text(Range r) const { return unit_.text.substr(r.begin, r.end - r.begin); }
  const Variable& variable(int v) const { return f_.variables[v]; }

  void use(const Use& u) {
    const Directive& region = f_.directives[plan_.region];
    if (!is_inside(region, u.at) || u.in_macro || owner(f_, plan_.region, u) >= 0) return;
    const Variable& v = variable(u.variable);
    const Range name{u.at, u.at + uint32_t(v.name.size())};
    if (done_ == name.begin) return;
    if (plan_.own[u.variable]) {
      if (plan_.reach[u.variable] == Reach::plain && v.declaration.has(u.at) && !is_assigned(u.variable)) return;
      edits_.replace(name, names_.own + "->" + field(plan_, u.variable));
    } else if (plan_.reach[u.variable] == Reach::pointer) {
      edits_.replace(name, "(*" + v.name + ")");
    } else if (plan_.reach[u.variable] == Reach::frame) {
      edits_.replace(name, names_.frame + "->" + field(plan_, u.variable));
    } else {
      return;
    }
    done_ = name.begin;
  }

  // Does an assignment take the place of its declaration?
  bool is_assigned(int v) const {
    return plan_.own[size_t(v)] && plan_.reach[size_t(v)] == Reach::plain && is_assignable(f_, v);
  }
  // Declared as it is, and then moved to where it lasts; others that the same statement declares with it.
  void declaration(int v) {
    const Variable& it = variable(v);
    std::string moves;
    for (const Call& c : f_.calls)
      if (c.is_called && c.form == Call::declares && c.whole.begin == it.declaration.begin) return;  // by the call
    for (int w = 0; w < int(f_.variables.size()); ++w) {
      const Variable& beside = variable(w);
      if (beside.declaration.begin != it.declaration.begin || beside.declaration.empty()) continue;
      if (w < v) return;  // done
      if (beside.has_init && is_assigned(w))
        moves += " " + names_.own + "->" + field(plan_, w) + " = " + edits_.apply(beside.init) + ";";
      else if (beside.has_init)
        moves += " __builtin_memcpy((void *)&" + names_.own + "->" + field(plan_, w) + ", (const void *)&" +
                 beside.name + ", sizeof " + beside.name + ");";
    }
    if (moves.empty()) return edits_.replace(it.declaration, ";");
    if (is_assigned(v)) return edits_.replace(it.declaration, moves.substr(1));
    edits_.insert(it.declaration.begin, "{ ");
    edits_.insert(it.declaration.end, moves + " }");
  }

  // The value that the variable has outside of a construct with one of its own.
  std::string outside(int v) const {
    if (plan_.own[v]) return names_.own + "->" + field(plan_, v);
    const std::string in_frame = names_.frame + "->" + field(plan_, v);
    return plan_.reach[v] == Reach::value || plan_.reach[v] == Reach::first || plan_.reach[v] == Reach::elements ||
                   plan_.reach[v] == Reach::frame
               ? in_frame
               : "*" + in_frame;
  }
  std::string own(int v, bool with_value) const {
    const Type& t = variable(v).type;
    if (!with_value) return declare(t.plain, variable(v).name) + "; ";
    if (t.kind == Type::array)
      return declare(t.plain, variable(v).name) + "; __builtin_memcpy(" + variable(v).name + ", " + outside(v) +
             ", sizeof " + variable(v).name + "); ";
    return declare(t.plain, variable(v).name) + " = " + outside(v) + "; ";
  }

  std::string line_after(uint32_t at) const {
    const uint32_t line = plan_.line + uint32_t(newlines(std::string_view(unit_.text)
                                                             .substr(f_.directives[plan_.region].pragma.begin,
                                                                     at - f_.directives[plan_.region].pragma.begin)));
    return "\n#line " + std::to_string(line) + "\n";
  }

  void kept(const Directive& d) {
    std::string begin;
    std::vector<int> declared;
    const auto add = [&](int v, bool with_value) {
      if (std::find(declared.begin(), declared.end(), v) != declared.end()) return;
      declared.push_back(v);
      begin += own(v, with_value);
    };
    for (const Clause& c : d.clauses) {
      if (c.kind == Clause::default_) remove(d, c.text);
      for (const int v : c.variables)
        if (!is_plain(plan_, v) && (c.kind == Clause::private_ || c.kind == Clause::firstprivate))
          add(v, c.kind == Clause::firstprivate);
      if (c.kind == Clause::shared) shared(d, c);
    }
    for (const int v : d.counters)
      if (!is_plain(plan_, v)) add(v, false);
    for (const int v : d.firstprivate)
      if (plan_.own[v]) add(v, true);
    if (begin.empty()) return;
    edits_.insert(line_begin(d.pragma.begin), "{ " + begin + line_after(d.pragma.begin));
    edits_.insert(std::max(d.pragma.end, d.statement.end), " }");
  }
  uint32_t line_begin(uint32_t at) const {
    const size_t newline = at ? unit_.text.rfind('\n', at - 1) : std::string::npos;
    return newline == std::string::npos ? 0 : uint32_t(newline) + 1;
  }
  // A clause, and the comma before it.
  void remove(const Directive& d, Range clause) {
    size_t before = unit_.text.find_last_not_of(" \t", clause.begin - 1);
    if (before != std::string::npos && before > d.pragma.begin && unit_.text[before] == ',')
      clause.begin = uint32_t(before);
    edits_.replace(clause, "");
  }
  void shared(const Directive& d, const Clause& c) {
    std::string left;
    bool any = false;
    for (const int v : c.variables) {
      // Nobody names it there that is not captured.
      if (is_plain(plan_, v)) left += (left.empty() ? "" : ", ") + variable(v).name;
      else any = true;
    }
    if (!any) return;
    if (left.empty()) remove(d, c.text);
    else edits_.replace(c.text, "shared(" + left + ")");
  }

  // Live variables, before a sync point and behind it.
  void live(const Sync& s, std::string& save, std::string& back) const {
    for (const int v : s.live) {
      const std::string kept = names_.own + "->" + field(plan_, v), name = variable(v).name;
      save += (save.empty() ? "" : ", ") + kept + " = " + name;
      back += (back.empty() ? "" : ", ") + name + " = " + kept;
    }
    if (!save.empty()) save += "; ", back = " " + back + ";";
  }
  std::string give_way(size_t number, const char* why) {
    std::string save, back;
    live(plan_.syncs[number], save, back);
    const std::string k = std::to_string(number + 1);
    return save + "EK_YIELD(" + names_.me + ", " + k + ", " + why + "); " + names_.label + k + ":" +
           (back.empty() ? ";" : back);
  }

  // ---- procedures ----

  // The frame of one, as the call fills it.
  std::string frame_of(const Call& c) {
    const Procedure& p = unit_.procedures.at(c.callee);
    std::string fields;
    for (size_t i = 0; i < c.arguments.size(); ++i)
      fields += (i ? ", ." : ".") + p.fields[i] + " = " + edits_.apply(c.arguments[i]);
    std::string target = c.form == Call::assigns ? "&" + edits_.apply(c.target) : "";
    if (target.rfind("&(*", 0) == 0 && target.find_first_of("[.->)") == target.size() - 1)
      target = target.substr(3, target.size() - 4);
    if (c.form == Call::declares) target = "&" + names_.own + "->" + field(plan_, c.variable);
    if (c.form == Call::returns) target = names_.frame + "->" + names_.result;
    if (!target.empty()) fields += (fields.empty() ? "." : ", .") + names_.result + " = " + target;
    return "(struct " + p.name + "){" + (fields.empty() ? "0" : fields) + "}";
  }

  void invoke(int i) {
    const Directive& d = f_.directives[size_t(i)];
    const uint32_t line = line_begin(d.statement.begin);
    const bool alone = line_begin(d.pragma.begin) == d.pragma.begin && is_blank(unit_.text, {line, d.statement.begin});
    const std::string indent = alone ? text({line, d.statement.begin}) : "";
    std::string name, frame, copies;
    if (d.call >= 0) {
      const Call& c = f_.calls[size_t(d.call)];
      name = unit_.procedures.at(c.callee).name;
      frame = "&" + frame_of(c);
    } else {
      const Plan& task = *std::find_if(plans_.begin(), plans_.end(),
                                       [&](const Plan& p) { return p.function == plan_.function && p.region == i; });
      name = task.name;
      frame = "&" + frame_of_task(task, copies);
    }
    const std::string call = "ek_invoke(" + names_.me + ", &" + name + ", ";
    if (copies.empty()) return edits_.replace({d.pragma.begin, d.statement.end}, indent + call + frame + ");");
    edits_.replace({d.pragma.begin, d.statement.end}, indent + "{ struct " + name + " ek_frame = " + frame.substr(1) +
                                                          "; " + copies + call + "&ek_frame); }");
  }
  // copies: what no initializer can, of ek_frame.
  std::string frame_of_task(const Plan& task, std::string& copies) const {
    std::string fields;
    for (const int v : task.captured) {
      const Reach reach = task.reach[size_t(v)];
      const std::string its = field(task, v), here = here_is(v);
      if (reach == Reach::copy) continue;
      if (reach == Reach::frame && variable(v).type.kind == Type::array) {
        copies += "__builtin_memcpy(ek_frame." + its + ", " + here + ", sizeof ek_frame." + its + "); ";
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
  // The variable, as the text of this codelet names it.
  std::string here_is(int v) const {
    if (plan_.own[size_t(v)]) return names_.own + "->" + field(plan_, v);
    if (plan_.reach[size_t(v)] == Reach::frame) return names_.frame + "->" + field(plan_, v);
    return plan_.reach[size_t(v)] == Reach::pointer ? "(*" + variable(v).name + ")" : variable(v).name;
  }

  // By the instance itself, which goes on with the callee until that has ended.
  void call(size_t number) {
    const Call& c = f_.calls[size_t(plan_.syncs[number].call)];
    const Procedure& p = unit_.procedures.at(c.callee);
    const std::string k = std::to_string(number + 1), its = names_.own + "->" + p.name;
    std::string save, back;
    live(plan_.syncs[number], save, back);
    edits_.replace(c.whole, "{ " + save + its + " = " + frame_of(c) + "; " + names_.label + k + ": EK_GO_ON(" +
                                names_.me + ", " + k + ", &" + p.name + ", &" + its + ", " +
                                (p.has_own ? "&" + its + "_own" : "NULL") + ", &" + its + "." + names_.place + ");" +
                                (c.form == Call::returns ? " return EK_END;" : back) + " }");
  }

  void returns() {
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

  void bound(int i) {
    const Directive& d = f_.directives[i];
    if (d.kind == Directive::invoke) return invoke(i);
    std::string end;
    for (size_t s = 0; s < plan_.syncs.size(); ++s)
      if (plan_.syncs[s].directive == i) end = give_way(s, d.kind == Directive::taskwait ? "EK_WAIT" : "EK_SYNC");
    std::string privates;
    for (const Clause& c : d.clauses)
      for (const int v : c.variables)
        if (c.kind == Clause::private_ || c.kind == Clause::firstprivate)
          privates += own(v, c.kind == Clause::firstprivate);
    if (d.kind == Directive::barrier || d.kind == Directive::taskwait) return edits_.replace(d.pragma, end);
    if (d.kind == Directive::for_ || d.kind == Directive::sections) return loop(i, privates, end, false);
    std::string condition = names_.me + "->id == 0";
    for (const Clause& c : d.clauses)
      if (c.kind == Clause::filter) condition = "(int)" + names_.me + "->id == (" + edits_.apply(c.argument) + ")";
    if (d.kind == Directive::single) condition = "ek_single(" + names_.me + ")";
    const bool block = !privates.empty() || !end.empty() || !d.in_list;
    edits_.replace(d.pragma, std::string(block ? "{ " : "") + "if (" + condition + ")" +
                                 (privates.empty() ? "" : " { " + privates));
    edits_.insert(d.statement.end,
                  std::string(privates.empty() ? "" : " }") + (end.empty() ? "" : " " + end) + (block ? " }" : ""));
  }

  // `outermost`: of a parallel for, which has its pragma elsewhere.
  void loop(int i, std::string privates, const std::string& sync, bool outermost) {
    const Directive& d = f_.directives[i];
    const Loop& l = d.loop;
    std::string end, last;
    int collapse = 1;
    const Clause* schedule = nullptr;
    for (const Clause& c : d.clauses) {
      if (c.kind == Clause::collapse) collapse = c.number;
      if (c.kind == Clause::schedule) schedule = &c;
      for (const int v : c.variables) {
        const std::string name = variable(v).name;
        if (c.kind == Clause::lastprivate) {
          if (!outermost) privates += own(v, false);
          const std::string target = names_.frame + "->" + field(plan_, v);
          last += variable(v).type.kind == Type::array
                      ? "__builtin_memcpy(" + target + ", " + name + ", sizeof " + name + "); "
                      : "*" + target + " = " + name + "; ";
        }
        if (c.kind == Clause::reduction && !outermost) {
          privates += declare(variable(v).type.plain, name) + " = " + identity(c, variable(v).type) + "; ";
          end += "\n#pragma omp critical (ek_reduction)\n{ " +
                 combine(c.op, "*" + names_.frame + "->" + field(plan_, v), name) + " }";
        }
      }
    }
    std::vector<int> counters = d.counters;
    if (!l.declares && l.variable >= 0 && std::find(counters.begin(), counters.end(), l.variable) == counters.end())
      counters.push_back(l.variable);
    if (!outermost)
      for (const int v : counters)
        if (!region_declares(v, l) &&
            privates.find(declare(variable(v).type.plain, variable(v).name) + "; ") == std::string::npos)
          privates += own(v, false);
    const bool fixed = !schedule || (schedule->op == "static" && schedule->argument.empty());
    std::string open, close;
    const bool sections = d.kind == Directive::sections || d.kind == Directive::parallel_sections;
    if (sections) {
      open = "\n#pragma omp sections nowait" + line_after(d.statement.begin);
    } else if (fixed && collapse == 1) {
      open = divided(l, last, close);
    } else {
      // The runtime's own loops deal it out.
      open = "\n#pragma omp for nowait";
      if (schedule) open += " " + edits_.apply(schedule->text);
      for (const Clause& c : d.clauses)
        if (c.kind == Clause::collapse) open += " " + text(c.text);
      open += line_after(d.statement.begin);
    }
    if (outermost) {
      edits_.insert(d.statement.begin, open);
      edits_.insert(d.statement.end, close);
      return;
    }
    if (!end.empty()) end += line_after(d.statement.end);
    // A statement as it was one; the sync point, which names the variables outside, not where others hide them.
    const bool twice = !sync.empty() && !privates.empty();
    const bool pragma = open.find('#') != std::string::npos;
    edits_.replace(d.pragma, (twice ? "{ { " : "{ ") + privates + (pragma ? "" : open));
    if (pragma) edits_.insert(d.statement.begin, open);
    edits_.insert(d.statement.end, close + end + (twice ? " }" : "") + (sync.empty() ? "" : " " + sync) + " }");
  }

  bool region_declares(int v, const Loop& l) const {
    return (l.declares && l.variable == v) || f_.variables[v].in_for ||
           (!f_.variables[v].file_scope && l.body.has(f_.variables[v].at));
  }

  // A loop whose iterations are cut in as many parts as there are instances: its header, and what stands before.
  std::string divided(const Loop& l, const std::string& last, std::string& close) {
    const std::string type = declare(variable(l.variable).type.plain, ""), name = variable(l.variable).name;
    const std::string first = edits_.apply(l.first), bound = edits_.apply(l.bound);
    const std::string part = "int64_t " + names_.from + ", " + names_.to;
    const std::string head = text({l.header.begin, l.first.begin});
    const size_t semicolon = last_semicolon(l.header);
    const std::string step_text = edits_.apply({uint32_t(semicolon), l.header.end});
    const std::string call = "ek_static(" + names_.me + ", ";
    const std::string parts = ", &" + names_.from + ", &" + names_.to + ")";
    const bool unsigned_ = variable(l.variable).type.least == "0";
    if (l.up && l.step.empty() && !l.by_pointer && last.empty() && !unsigned_) {
      edits_.replace(l.header, head + names_.from + "; " + name + " < (" + trimmed(type) + ")" + names_.to + step_text);
      return part + "; if (" + call + first + ", " + (l.inclusive ? "(int64_t)(" + bound + ") + 1" : bound) + parts +
             ") ";
    }
    // How many iterations there are, in arithmetic that does not overflow where the loop itself does not.
    std::string step = l.step.empty() ? "1" : trimmed(edits_.apply(l.step));
    const bool literal = step.find_first_not_of("0123456789") == std::string::npos;
    if (!literal) step = in_parentheses(step);
    if (l.negated) step = "(-" + step + ")";
    const std::string in_type =
        l.by_pointer ? in_parentheses(first) : "(" + trimmed(type) + ")" + in_parentheses(first);
    const std::string wide = l.by_pointer ? "" : "(uint64_t)";
    const std::string low = wide + (l.up ? in_type : in_parentheses(bound));
    const std::string high = wide + (l.up ? in_parentheses(bound) : in_type);
    const std::string difference = l.by_pointer ? "(uint64_t)(" + high + " - " + low + ")" : high + " - " + low;
    const std::string divisor = literal ? step : "(uint64_t)" + step;
    const std::string any = in_type + (l.up ? " <" : " >") + (l.inclusive ? "= " : " ") + in_parentheses(bound);
    std::string count = difference;
    if (divisor != "1") count = "(" + count + (l.inclusive ? "" : " - 1") + ") / " + divisor + " + 1";
    else if (l.inclusive) count += " + 1";
    count = "(int64_t)(" + any + " ? " + count + " : 0)";
    const std::string begin = (l.by_pointer ? "" : "(uint64_t)") + in_type + (l.up ? " + " : " - ") + names_.from +
                              (step == "1" ? "" : " * " + (l.by_pointer ? "(int64_t)" + step : divisor));
    edits_.replace(l.header, head + begin + "; " + names_.from + " < " + names_.to + "; " + names_.from + "++, " +
                                 trimmed(step_text.substr(step_text.find(';') + 1)));
    if (!last.empty()) close = " if (" + names_.to + " == " + names_.count + ") { " + last + "} }";
    return part + ", " + names_.count + " = " + count + "; if (" + call + "0, " + names_.count + parts + ") " +
           (last.empty() ? "" : "{ ");
  }
  size_t last_semicolon(Range header) const {
    int depth = 0;
    for (uint32_t at = header.end; at-- > header.begin;) {
      const char c = unit_.text[at];
      if (c == ')' || c == ']' || c == '}') ++depth;
      if (c == '(' || c == '[' || c == '{') --depth;
      if (c == ';' && depth == 0) return at;
    }
    return header.end;
  }
  static std::string in_parentheses(const std::string& expression) {
    for (const char c : expression)
      if (!isalnum(static_cast<unsigned char>(c)) && c != '_') return "(" + expression + ")";
    return expression;
  }
  static std::string trimmed(const std::string& s) {
    const size_t begin = s.find_first_not_of(" \t\r\n"), end = s.find_last_not_of(" \t\r\n");
    return begin == std::string::npos ? "" : s.substr(begin, end - begin + 1);
  }

  const Unit& unit_;
  const Plan& plan_;
  const Function& f_;
  const Names& names_;
  const std::vector<Plan>& plans_;
  Edits edits_;
  uint32_t done_ = ~0u;
};

}  // namespace

std::string body(const Unit& unit, const Plan& plan, const Names& names, const std::vector<Plan>& plans) {
  return Body(unit, plan, names, plans).run();
}

}  // namespace einkorn::compiler
