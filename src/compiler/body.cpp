#include "compiler/body.h"

#include <algorithm>
#include <cctype>

#include "compiler/calls.h"
#include "compiler/codelet_text.h"
#include "compiler/counters.h"
#include "compiler/items.h"
#include "compiler/lengths.h"
#include "compiler/reach.h"
#include "compiler/reduce.h"
#include "compiler/scans.h"
#include "compiler/staying.h"

namespace einkorn::compiler {

namespace {

class Body : CodeletText {
 public:
  Body(const Unit& unit, const Plan& plan, const Names& names, const std::vector<Plan>& plans, Edits& edits)
      : CodeletText(unit, plan, names, edits), counters_(f_, edits), calls_(unit, plan, names, plans, edits) {}

  std::string run() {
    const Directive& region = f_.directives[plan_.region];
    for (const Use& u : f_.uses) use(u);
    for (const auto& [at, name] : plan_.waits_for)
      edits_.replace({at, at + uint32_t(name.size())}, unit_.procedures.at(name).name + "_call");
    for (size_t v = 0; v < f_.variables.size(); ++v)
      if (plan_.own[v] && plan_.reach[v] == Reach::plain) declaration(int(v));
    for (size_t s = 0; s < plan_.syncs.size(); ++s)
      if (plan_.syncs[s].call >= 0) calls_.call(s);
    if (is_function(plan_)) calls_.returns();
    if (region.primary)
      edits_.insert(region.statement.begin, "if (" + condition(region) + ") " + to_statement(region.statement));
    for (const Clause& c : region.clauses)
      if (c.kind == Clause::reduction && c.number) tasks_reduction(region, c);
    // From the inside out: what a loop's header is made of has been changed by then.
    for (int i = int(f_.directives.size()) - 1; i > plan_.region; --i) {
      const Directive& d = f_.directives[i];
      if (!region.statement.has(d.pragma.begin)) continue;
      if (!plan_.bound[i] || d.kind == Directive::kept) keep_directive(unit_, plan_, names_, edits_, counters_, d);
      else bound(i);
    }
    for (const Clause& c : region.clauses)
      if (c.kind == Clause::reduction && c.number)
        edits_.insert(region.statement.end, behind_statement(region.statement) + "}");
    if (region.kind != Directive::parallel && !is_procedure(plan_)) loop(plan_.region, "", true);
    return edits_.apply(region.statement);
  }

 private:
  void use(const Use& u) {
    const Directive& region = f_.directives[plan_.region];
    if (!is_inside(region, u.at) || u.in_macro || owner(f_, plan_.region, u) >= 0) return;
    const Variable& v = variable(u.variable);
    const Range name{u.at, u.at + uint32_t(v.name.size())};
    if (done_ == name.begin || is_item_by_pointer(unit_, plan_, u)) return;
    if (named_otherwise(u)) return;
    if (plan_.own[u.variable]) {
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

  // A directive that stays, with a clause that kept() writes anew.
  const Directive* named_otherwise(const Use& u) const {
    for (const Directive& d : f_.directives)
      for (const Clause& c : d.clauses)
        if (d.kind == Directive::kept && c.text.has(u.at) && !is_plain(plan_, u.variable) &&
            (c.name == "detach" || c.kind == Clause::copyprivate || is_advice(c)))
          return &d;
    return nullptr;
  }
  // The declaration of an object in the instance's memory becomes assignments there, and so does that of all others
  // that the same statement declares. In a for's header they are one expression.
  void declaration(int v) {
    const Variable& it = variable(v);
    std::string begun;
    for (const Call& c : f_.calls)
      if (c.is_called && c.form == Call::declares && c.whole.begin == it.declaration.begin) return;  // by the call
    for (int w = 0; w < int(f_.variables.size()); ++w) {
      const Variable& beside = variable(w);
      if (beside.declaration.begin != it.declaration.begin || beside.declaration.empty()) continue;
      if (w < v) return;  // done
      if (!beside.has_init) continue;
      begun += (begun.empty() ? "" : it.in_for ? ", " : " ") + begin_own(w) + (it.in_for ? "" : ";");
    }
    edits_.replace(it.declaration, it.in_for || begun.empty() ? begun + ";" : begun);
  }
  // What an object begins with, where it is.
  std::string begin_own(int v) const {
    const Variable& it = variable(v);
    const std::string own = names_.own + "->" + field(plan_, v), address = "(void *)&" + own;
    if (it.is_zeroed) return "__builtin_memset(" + address + ", 0, sizeof " + own + ")";
    const std::string value = edits_.apply(it.init);
    if (is_begun_by_assignment(it)) return own + " = " + value;
    return "{ " + declare(it.type.plain, "ek_value") + " = " + value + "; __builtin_memcpy(" + address +
           ", (const void *)&ek_value, sizeof ek_value); }";
  }

  void bound(int i) {
    const Directive& d = f_.directives[i];
    if (d.kind == Directive::invoke) return calls_.invoke(i);
    std::string end;
    for (size_t s = 0; s < plan_.syncs.size(); ++s)
      if (plan_.syncs[s].directive == i)
        end = calls_.give_way(s, d.kind == Directive::taskwait ? "EK_WAIT" : "EK_SYNC");
    if (d.kind == Directive::barrier || d.kind == Directive::taskwait) return edits_.replace(d.pragma, end);
    if (d.kind == Directive::for_ || d.kind == Directive::sections) return loop(i, end, false);
    std::string privates;
    for (const Clause& c : d.clauses)
      for (const int v : c.variables)
        if (c.kind == Clause::private_ || c.kind == Clause::firstprivate)
          privates += own(v, c.kind == Clause::firstprivate);
    const bool block = !privates.empty() || !end.empty() || !d.in_list;
    edits_.replace(d.pragma, std::string(block ? "{ " : "") + "if (" + condition(d) + ")" +
                                 (privates.empty() ? "" : " { " + privates));
    edits_.insert(d.statement.end,
                  std::string(privates.empty() ? "" : " }") + (end.empty() ? "" : " " + end) + (block ? " }" : ""));
  }

  // Around what a thread does of the region, for its tasks.
  void tasks_reduction(const Directive& d, const Clause& c) {
    std::string list;
    for (const int v : c.variables) list += (list.empty() ? "" : ", ") + variable(v).name;
    edits_.insert(d.statement.begin, "\n#pragma omp taskgroup task_reduction(" + c.op + ": " + list + ")" +
                                         line_after(d.statement.begin) + "{ " + to_statement(d.statement));
  }

  // What a loop, or sections, begins and ends with.
  struct Frame {
    std::string privates, end, last, lasts;  // last: what the last iteration hands on; lasts: a list for vectors
    std::string each;                        // what the body begins with
    std::vector<int> declared;
  };
  void add_own(Frame& frame, int v, bool with_value) {
    if (std::find(frame.declared.begin(), frame.declared.end(), v) != frame.declared.end()) return;
    frame.declared.push_back(v);
    frame.privates += own(v, with_value);
  }
  Frame frame_of(const Directive& d, bool outermost) {
    Frame frame;
    bool waits = false;
    std::string values;
    for (const int v : of_last(d)) {
      const std::string &name = variable(v).name, target = names_.frame + "->" + field(plan_, v);
      const bool begins = begins_with_value(d, v), is_array = variable(v).type.kind == Type::array;
      const bool is_linear = std::any_of(d.clauses.begin(), d.clauses.end(), [&](const Clause& c) {
        return c.kind == Clause::linear && has_variable(c.variables, v);
      });
      if (is_here(v) && is_linear)
        frame.privates += declare(variable(v).type.to, "const ek_outer_" + name) + " = &" + name + "; ";
      if (!outermost) add_own(frame, v, begins);
      else if (begins) values += (is_array ? copy(name, target, name) : name + " = *" + target + ";") + " ";
      waits |= begins;
      // A counter that is the thread's own stays that.
      frame.lasts += std::find(d.counters.begin(), d.counters.end(), v) != d.counters.end() || v == d.loop.variable
                         ? ""
                         : (frame.lasts.empty() ? "" : ", ") + name;
      const std::string to = outermost ? "*" + target : outside(v);
      if (outermost || is_linear || plan_.reach[v] == Reach::pointer)
        frame.last += is_array ? copy(to, name, name) + " "
                               : to + " = " + (is_dealt(d) ? counters_.last_value(d, v) : name) + "; ";
    }
    for (const Clause& c : d.clauses)
      if (c.kind == Clause::linear)
        for (const int v : c.variables)
          if (v != d.loop.variable) linear(d, c, v, frame);
    // The values from outside are there before somebody changes them.
    if (waits)
      frame.privates = values + frame.privates + "\n#pragma omp barrier" +
                       line_after(outermost ? d.statement.begin : d.pragma.begin);
    for (const Clause& c : d.clauses) {
      if (c.kind == Clause::private_ || c.kind == Clause::firstprivate)
        for (const int v : c.variables)
          if (!outermost) add_own(frame, v, c.kind == Clause::firstprivate);
      if (c.kind != Clause::reduction || outermost) continue;
      for (size_t n = 0; n < c.variables.size(); ++n) {
        Part part;
        const int v = c.variables[n];
        if (c.reduced[n].plain) {
          part.begin =
              declare(variable(v).type.plain, variable(v).name) + " = " + identity(c.op, variable(v).type) + "; ";
          part.end = combine(c.op, "*" + names_.frame + "->" + field(plan_, v), variable(v).name);
        } else {
          part = part_of(unit_, edits_, c, n, variable(v), outside(v));
        }
        frame.privates += part.begin;
        frame.end += "\n#pragma omp critical (ek_reduction)\n{ " + part.end + " }";
      }
    }
    std::vector<int> counters = d.counters;
    if (!d.loop.declares && d.loop.variable >= 0) counters.push_back(d.loop.variable);
    if (!outermost)
      for (const int v : counters)
        if (!region_declares(v, d.loop)) add_own(frame, v, false);
    return frame;
  }
  // The variable begins each iteration with what those before it would have made of it.
  void linear(const Directive& d, const Clause& c, int v, Frame& frame) {
    const Loop& l = d.loop;
    const std::string &name = variable(v).name, begin = "ek_begin_" + name, first = edits_.apply(l.first);
    const std::string type = trimmed(declare(variable(v).type.plain, ""));
    const std::string stride = counters_.stride(l);
    std::string iteration = counters_.behind_first(l, first) + (stride == "1" ? "" : " / " + stride);
    if (!d.inner.empty()) {
      if (frame.each.empty() && !has_conditional(d)) frame.privates += counters_.numbering(all_loops(d));
      iteration = counters_.number(all_loops(d));
    }
    frame.privates += declare(variable(v).type.plain, "const " + begin) + " = " + name + "; ";
    const std::string step = c.argument.empty() ? "" : " * (" + edits_.apply(c.argument) + ")";
    frame.each += name + " = (" + type + ")(" + begin + " + (int64_t)(" + iteration + ")" + step + "); ";
  }
  void begin_each(const Loop& l, const Frame& frame) {
    edits_.insert(l.body.begin, "{ " + frame.each + to_statement(l.body));
    edits_.insert(l.body.end, behind_statement(l.body) + "}");
  }
  // Of a loop that the runtime deals out: the one that has the last iteration knows by its counter, and hands on what
  // it has. A `continue` leads there, too.
  void hand_on(const Directive& d, const Frame& frame) {
    const Loop& l = d.inner.empty() ? d.loop : d.inner.back();
    std::string last = counters_.is_last(l), hands = frame.last;
    if (!d.inner.empty() && !is_rectangular(f_, d)) {
      hands = counters_.behind_rows(d, frame.last);
    } else if (!d.inner.empty()) {
      last += " && " + counters_.is_last(d.loop);
      for (size_t i = 0; i + 1 < d.inner.size(); ++i) last += " && " + counters_.is_last(d.inner[i]);
    }
    edits_.insert(l.body.begin, "{ do { " + frame.each + to_statement(l.body));
    edits_.insert(l.body.end, behind_statement(l.body) + "} while (0); if (" + last + ") { " + hands + "} }");
  }
  // A loop with a scan: the instance's iterations twice, with all that is needed for it.
  void scanned(int i, Frame& frame, std::string& open, std::string& close) {
    const Directive& d = f_.directives[i];
    Scan scan(unit_, plan_, names_, edits_, i);
    const std::string line = line_after(d.statement.begin), last = frame.last;
    scan.halves();
    frame.privates += "{ " + scan.begin([&](int v) { return outside_of(i, v); });
    open += scan.rounds(line);
    close = " " + scan.end();
    if (!last.empty())
      close +=
          "if (" + names_.from + " < " + names_.to + " && " + names_.to + " == " + names_.count + ") { " + last + "} ";
    close += "}";
  }
  // What a construct of the region's gives back to.
  std::string outside_of(int i, int v) const {
    return i == plan_.region ? "*" + names_.frame + "->" + field(plan_, v) : outside(v);
  }
  void values_of_last(Conditional& conditional, const Directive& d, Frame& frame, bool outermost) {
    std::string values;
    const int i = int(&d - f_.directives.data());
    for (const Clause& c : d.clauses)
      for (const int v : c.variables) {
        if (c.kind != Clause::conditional) continue;
        if (!outermost) add_own(frame, v, true);
        else values += variable(v).name + " = " + outside_of(i, v) + "; ";
      }
    frame.privates = conditional.begin() + values + frame.privates;
    frame.each = conditional.iteration() + frame.each;
    conditional.assignments();
    frame.end += conditional.end([&](int v) { return outside_of(i, v); }, line_after(d.statement.end));
  }
  // Of the directive's clauses those that its loop has, too: what vectors need to know.
  std::string clauses(const Directive& d, const char* name_of_lasts, const std::string& lasts) const {
    std::string out;
    for (const Clause& c : d.clauses)
      if (c.kind == Clause::simd || c.kind == Clause::private_ || c.kind == Clause::firstprivate ||
          c.kind == Clause::reduction)
        out += " " + edits_.apply(c.text);
    if (!lasts.empty()) out += std::string(" ") + name_of_lasts + "(" + lasts + ")";
    return out;
  }

  // `outermost`: of a parallel for, which has its pragma elsewhere.
  void loop(int i, const std::string& sync, bool outermost) {
    const Directive& d = f_.directives[i];
    Frame frame = frame_of(d, outermost);
    Conditional conditional(plan_, names_, counters_, edits_, i);
    if (has_conditional(d)) values_of_last(conditional, d, frame, outermost);
    std::string open, close;
    const bool sections = d.kind == Directive::sections || d.kind == Directive::parallel_sections;
    if (sections || is_dealt(d)) {
      Range section;
      for (const Directive& s : f_.directives)
        if (s.name == "section" && s.parent == i) section = s.statement;
      if (!frame.last.empty() && sections) {
        edits_.insert(section.begin, "{ " + to_statement(section));
        edits_.insert(section.end, behind_statement(section) + frame.last + "}");
      } else if (!frame.last.empty()) {
        hand_on(d, frame);
      } else if (!frame.each.empty()) {
        begin_each(d.inner.empty() ? d.loop : d.inner.back(), frame);
      }
      // Of what is each thread's own compilers make no sum, and no copies, in a loop that threads share.
      const bool sums = std::any_of(d.clauses.begin(), d.clauses.end(), [](const Clause& c) {
        return !c.reduced.empty() || c.kind == Clause::firstprivate;
      });
      const bool simd = d.simd && !sums && !has_conditional(d);
      open = sections ? "\n#pragma omp sections nowait"
                      : "\n#pragma omp for" + std::string(simd ? " simd" : "") + " nowait";
      for (const Clause& c : d.clauses)
        if (!sections && (c.kind == Clause::schedule || c.kind == Clause::collapse || c.kind == Clause::ordered ||
                          text(c.text).find("reproducible") != std::string::npos))
          open += " " + (c.kind == Clause::schedule && has_conditional(d) ? in_order(edits_.apply(c.text))
                                                                          : edits_.apply(c.text));
      if (simd) open += clauses(d, "private", frame.lasts);
      open += line_after(d.statement.begin);
    } else {
      open = divided(d, frame, close);
      if (has_scan(d)) scanned(i, frame, open, close);
      if (!frame.each.empty()) begin_each(d.loop, frame);
    }
    if (outermost) {
      edits_.insert(d.statement.begin, frame.privates + open);
      edits_.insert(d.statement.end, close + frame.end);
      return;
    }
    if (!frame.end.empty()) frame.end += line_after(d.statement.end);
    // A statement as it was one; the sync point, which names the variables outside, not where others hide them.
    const bool twice = !sync.empty() && !frame.privates.empty();
    const bool pragma = open.find('#') != std::string::npos;
    edits_.replace(d.pragma, (twice ? "{ { " : "{ ") + frame.privates + (pragma ? "" : open));
    if (pragma) edits_.insert(d.statement.begin, open);
    edits_.insert(d.statement.end, close + frame.end + (twice ? " }" : "") + (sync.empty() ? "" : " " + sync) + " }");
  }
  bool region_declares(int v, const Loop& l) const {
    return (l.declares && l.variable == v) || f_.variables[v].in_for ||
           (!f_.variables[v].file_scope && l.body.has(f_.variables[v].at));
  }

  // A loop whose iterations are cut in as many parts as there are instances: its header, and what stands before.
  std::string divided(const Directive& d, const Frame& frame, std::string& close) {
    const Loop& l = d.loop;
    const std::string& last = frame.last;
    const std::string type = declare(variable(l.variable).type.plain, ""), name = variable(l.variable).name;
    const std::string first = edits_.apply(l.first), bound = edits_.apply(l.bound);
    const std::string part = "int64_t " + names_.from + ", " + names_.to;
    const std::string head = text({l.header.begin, l.first.begin});
    const size_t semicolon = last_semicolon(unit_.text, l.header);
    const std::string step_text = edits_.apply({uint32_t(semicolon), l.header.end});
    const std::string call = "ek_static(" + names_.me + ", ";
    const std::string parts = ", &" + names_.from + ", &" + names_.to + ")";
    const bool unsigned_ = variable(l.variable).type.least == "0";
    const bool twice = has_scan(d);
    if (l.up && l.step.empty() && !l.by_pointer && !unsigned_ && !twice) {
      edits_.replace(l.header, head + names_.from + "; " + name + " < (" + trimmed(type) + ")" + names_.to + step_text);
      const std::string end = l.inclusive ? "(int64_t)(" + bound + ") + 1" : bound;
      if (!last.empty()) close = " if (" + names_.to + " == " + in_parentheses(end) + ") { " + last + "} }";
      return part + "; if (" + call + first + ", " + end + parts + ") " + (last.empty() ? "" : "{ ") + simd(d, frame);
    }
    const std::string step = counters_.stride(l), count = counters_.count(l);
    const bool literal = step.find_first_not_of("0123456789") == std::string::npos;
    const std::string divisor = literal ? step : "(uint64_t)" + step;
    const std::string in_type =
        l.by_pointer ? in_parentheses(first) : "(" + trimmed(type) + ")" + in_parentheses(first);
    const std::string at = twice ? "ek_at" : names_.from;
    const std::string begin = (l.by_pointer ? "" : "(uint64_t)") + in_type + (l.up ? " + " : " - ") + at +
                              (step == "1" ? "" : " * " + (l.by_pointer ? "(int64_t)" + step : divisor));
    edits_.replace(l.header, head + begin + "; " + at + " < " + names_.to + "; " + at + "++, " +
                                 trimmed(step_text.substr(step_text.find(';') + 1)));
    const std::string known = part + ", " + names_.count + " = " + count + "; ",
                      mine = call + "0, " + names_.count + parts;
    if (twice) return known + mine + "; ";
    if (!last.empty()) close = " if (" + names_.to + " == " + names_.count + ") { " + last + "} }";
    return known + "if (" + mine + ") " + (last.empty() ? "" : "{ ");
  }
  // Its loop is one still that vectors may run.
  std::string simd(const Directive& d, const Frame& frame) const {
    if (!d.simd || has_scan(d) || has_conditional(d)) return "";
    for (const Clause& c : d.clauses)
      if (c.kind == Clause::firstprivate) return "";
    return "\n#pragma omp simd" + clauses(d, "lastprivate", frame.lasts) + line_after(d.statement.begin);
  }

  Counters counters_;
  Calls calls_;
  uint32_t done_ = ~0u;
};

}  // namespace

std::string body(const Unit& unit, const Plan& plan, const Names& names, const std::vector<Plan>& plans) {
  Edits edits(unit.text);
  return Body(unit, plan, names, plans, edits).run();
}

}  // namespace einkorn::compiler
