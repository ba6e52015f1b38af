#include "compiler/staying.h"

#include <algorithm>

#include "compiler/items.h"
#include "compiler/reach.h"

namespace einkorn::compiler {

namespace {

class Staying : CodeletText {
 public:
  Staying(const Unit& unit, const Plan& plan, const Names& names, Edits& edits, Counters& counters)
      : CodeletText(unit, plan, names, edits), counters_(counters) {}

  void directive(const Directive& d) {
    if (d.name == "flush") flush(d);
    std::string begin, end;
    std::vector<int> declared;
    bool asks = false;  // whether the loop has any iteration
    const auto is_plain = [&](int v) { return compiler::is_plain(plan_, v) || has_nearer(plan_, d, v); };
    const auto add = [&](int v, bool with_value) {
      if (std::find(declared.begin(), declared.end(), v) != declared.end()) return;
      declared.push_back(v);
      begin += own(v, with_value);
    };
    for (const Clause& c : d.clauses)
      for (const int& v : c.variables)
        if (!is_plain(v) && is_given_back(f_, d, c, size_t(&v - c.variables.data()))) {
          add(v, true);
          const std::string &name = variable(v).name, to = outside(v);
          const bool if_any = c.kind == Clause::lastprivate;
          asks |= if_any;
          end += if_any ? " if (ek_any)" : "";
          end += " " + (variable(v).type.kind == Type::array ? copy(to, name, name) : to + " = " + name + ";");
        }
    const auto put_back = [&](int v) {
      const std::string &name = variable(v).name, to = outside(v);
      end += " " + (variable(v).type.kind == Type::array ? copy(to, name, name) : to + " = " + name + ";");
    };
    for (const Clause& c : d.clauses) {
      for (const int v : c.variables)
        if (!is_plain(v) && is_item_in_place(d, c)) add(v, true), put_back(v);
      if (c.kind == Clause::copyprivate) copyprivate(d, c, begin, end);
      for (const Use& u : f_.uses)
        if (c.text.has(u.at) && !is_plain(u.variable)) {
          if (c.name == "detach") add(u.variable, false), put_back(u.variable);
        }
    }
    for (const Clause& c : d.clauses) {
      const auto is_named = [&](const Use& u) { return c.text.has(u.at) && !is_plain(u.variable); };
      if (c.kind == Clause::default_ || (is_advice(c) && std::any_of(f_.uses.begin(), f_.uses.end(), is_named)))
        remove(d, c.text);
      for (const int v : c.variables)
        if (!is_plain(v) && (c.kind == Clause::private_ || c.kind == Clause::firstprivate))
          add(v, c.kind == Clause::firstprivate || asks_for(f_, d, v));
      if (c.kind == Clause::shared) shared(d, c);
    }
    for (const int v : d.counters)
      if (!is_plain(v)) {
        const bool again = d.name == "simd" && std::find(declared.begin(), declared.end(), v) == declared.end();
        add(v, again || asks_for(f_, d, v));
        if (again) put_back(v);
      }
    for (const int v : d.firstprivate)
      if (needs_copy_for_task(plan_, v) && !is_plain(v)) add(v, true);
    begin.insert(0, items(d));
    if (d.primary && plan_.bound[size_t(&d - f_.directives.data())]) {
      begin.insert(0, "if (" + condition(d) + ") { ");
      end += " }";
      without_primary(d);
    }
    if (begin.empty()) return;
    if (asks && is_rectangular(f_, d)) {
      std::string any = counters_.any(d.loop);
      for (const Loop& l : d.inner) any += " && " + counters_.any(l);
      begin = "const int ek_any = " + any + "; " + begin;
    } else if (asks) {
      begin += counters_.find_any(d);
    }
    const uint32_t region = f_.directives[plan_.region].statement.begin;
    edits_.insert(std::max(line_begin(unit_.text, d.pragma.begin), region), "{ " + begin + line_after(d.pragma.begin));
    if (d.statement.empty()) edits_.insert(d.pragma.end, "\n}" + line_after(d.pragma.end));
    else edits_.insert(d.statement.end, end + behind_statement(d.statement) + "}");
  }

 private:
  // `master taskloop` as taskloop, of who is that.
  void without_primary(const Directive& d) {
    for (const Word& w : words(unit_.text, d.pragma))
      if (const std::string word = text(w.at); word == "master" || word == "masked") {
        edits_.replace(w.at, "");
        break;
      }
    for (const Clause& c : d.clauses)
      if (c.kind == Clause::filter) remove(d, c.text);
  }
  // Pointers to what depend names.
  std::string items(const Directive& d) {
    std::string declared;
    for (const Item& it : items_by_pointer(unit_, plan_, d)) {
      const std::string name = item_pointer(plan_, it);
      const std::string whole = "(" + here_outside(it.variable) + ")";
      const std::string pointer = (it.is_indexed ? "__typeof__(&" + whole + "[0])" : "__typeof__(" + whole + ") *") +
                                  " const " + name + " = " + (it.is_indexed ? "" : "&") + whole + "; ";
      if (declared.find(pointer) == std::string::npos) declared += pointer;
      edits_.replace(it.name, named_by_pointer(plan_, it));
    }
    return declared;
  }
  // The variable as the codelet names it outside of all constructs: by its own name, where it is not the frame's.
  std::string here_outside(int v) const {
    if (plan_.own[size_t(v)]) return names_.own + "->" + field(plan_, v);
    if (plan_.reach[size_t(v)] == Reach::frame) return names_.frame + "->" + field(plan_, v);
    return plan_.reach[size_t(v)] == Reach::pointer ? "*" + variable(v).name : variable(v).name;
  }
  // A copy of each for the clause alone: what the statement makes of the variable, whose address is as it was.
  void copyprivate(const Directive& d, const Clause& c, std::string& begin, std::string& end) {
    std::string list, gives;
    for (const int v : c.variables) {
      const std::string& name = variable(v).name;
      const bool plain = is_plain(plan_, v) || has_nearer(plan_, d, v);
      list.append(list.empty() ? "" : ", ").append(plain ? "" : "ek_copy_").append(name);
      if (plain) continue;
      const std::string its = "ek_copy_" + name, outer = outside(v);
      const bool array = variable(v).type.kind == Type::array;
      begin += declare(variable(v).type.plain, its) + "; ";
      gives += array ? copy(its, outer, its) + " " : its + " = " + outer + "; ";
      end += " " + (array ? copy(outer, its, its) : outer + " = " + its + ";");
    }
    if (gives.empty()) return;
    edits_.replace(c.text, "copyprivate(" + list + ")");
    edits_.insert(d.statement.begin, "{ " + to_statement(d.statement));
    edits_.insert(d.statement.end, behind_statement(d.statement) + gives + "}");
  }
  // gcc takes names in its list alone; without one it is of all there is.
  void flush(const Directive& d) {
    const size_t list = unit_.text.find('(', d.pragma.begin);
    const auto is_changed = [&](const Use& u) { return d.pragma.has(u.at) && !is_plain(plan_, u.variable); };
    if (list < d.pragma.end && std::any_of(f_.uses.begin(), f_.uses.end(), is_changed))
      edits_.replace({uint32_t(list), d.pragma.end}, "");
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

  Counters& counters_;
};

}  // namespace

void keep_directive(const Unit& unit, const Plan& plan, const Names& names, Edits& edits, Counters& counters,
                    const Directive& d) {
  Staying(unit, plan, names, edits, counters).directive(d);
}

}  // namespace einkorn::compiler
