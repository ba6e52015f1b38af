// What all parts of a codelet's text need: how it names a variable, what a construct's own one begins with, where lines
// are.
#pragma once

#include <string>

#include "compiler/form.h"
#include "compiler/lengths.h"
#include "compiler/names.h"
#include "compiler/text.h"

namespace einkorn::compiler {

class CodeletText {
 protected:
  // edits: of the unit's text, by all parts.
  CodeletText(const Unit& unit, const Plan& plan, const Names& names, Edits& edits)
      : unit_(unit), plan_(plan), f_(*plan.function), names_(names), edits_(edits) {}

  std::string text(Range r) const { return unit_.text.substr(r.begin, r.end - r.begin); }
  const Variable& variable(int v) const { return f_.variables[size_t(v)]; }
  // Declared in the region, and there: not in the instance's memory.
  bool is_here(int v) const {
    return plan_.reach[size_t(v)] == Reach::plain && !plan_.own[size_t(v)] && !variable(v).file_scope &&
           f_.directives[size_t(plan_.region)].statement.has(variable(v).at);
  }

  std::string condition(const Directive& d) const {
    if (d.kind == Directive::single) return "ek_single(" + names_.me + ")";
    for (const Clause& c : d.clauses)
      if (c.kind == Clause::filter)
        return "(int)" + names_.me + "->" + names_.its_id + " == (" + edits_.apply(c.argument) + ")";
    return names_.me + "->" + names_.its_id + " == 0";
  }
  // The value that the variable has outside of a construct with one of its own.
  std::string outside(int v) const {
    if (plan_.own[v]) return names_.own + "->" + field(plan_, v);
    if (is_here(v)) return "(*ek_outer_" + variable(v).name + ")";
    const std::string in_frame = names_.frame + "->" + field(plan_, v);
    return plan_.reach[v] == Reach::value || plan_.reach[v] == Reach::first || plan_.reach[v] == Reach::elements ||
                   plan_.reach[v] == Reach::frame
               ? in_frame
               : "*" + in_frame;
  }
  std::string own(int v, bool with_value) const {
    const std::string& name = variable(v).name;
    const Type& t = variable(v).type;
    if (t.varies) return own_of_length(v, with_value);
    if (!with_value) return declare(t.plain, name) + "; ";
    if (t.kind == Type::array) return declare(t.plain, name) + "; " + copy(name, outside(v), name) + " ";
    return declare(t.plain, name) + " = " + outside(v) + "; ";
  }

  std::string own_of_length(int v, bool with_value) const {
    const std::string& name = variable(v).name;
    const bool is_array = variable(v).type.kind == Type::array;
    if (plan_.reach[size_t(v)] == Reach::plain) {
      // Up to the end of its declarator the name is that of the one outside.
      const std::string type = with_own_lengths(variable(v)), outer = "ek_outer_" + name;
      if (!with_value) return declare(type, name) + "; ";
      if (!is_array)
        return declare("__typeof__(" + name + ") @", outer) + " = " + name + "; " + declare(type, name) + " = " +
               outer + "; ";
      return "const void *const " + outer + " = " + name + "; " + declare(type, name) + "; " + copy(name, outer, name) +
             " ";
    }
    const std::string type = with_lengths(plan_, v, names_.frame), in_frame = names_.frame + "->" + field(plan_, v);
    if (!with_value) return declare(type, name) + "; ";
    if (is_array) return declare(type, name) + "; " + copy(name, in_frame, name) + " ";
    const bool by_address = plan_.reach[size_t(v)] == Reach::pointer;
    return declare(type, name) + " = " + (by_address ? "*" + in_cast(pointer_to(type, false)) : in_cast(type)) +
           in_frame + "; ";
  }

  std::string line_after(uint32_t at) const {
    const uint32_t line = line_at(unit_.text, f_.directives[plan_.region].pragma.begin, plan_.line, at);
    return "\n#line " + std::to_string(line) + "\n";
  }

  // A statement that begins with a directive begins a line, and so does what follows it.
  std::string to_statement(Range statement) const {
    return unit_.text[statement.begin] == '#' ? line_after(statement.begin) : "";
  }
  std::string behind_statement(Range statement) const {
    return unit_.text[statement.begin] == '#' ? line_after(statement.end) : " ";
  }

  const Unit& unit_;
  const Plan& plan_;
  const Function& f_;
  const Names& names_;
  Edits& edits_;
};

}  // namespace einkorn::compiler
