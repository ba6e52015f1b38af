// The codelets of one plan as text: the memory that they need, the function of all of them, their table, and the
// function that the program's text calls.
#pragma once

#include <algorithm>

#include "compiler/body.h"
#include "compiler/complexes.h"
#include "compiler/lengths.h"
#include "compiler/names.h"
#include "compiler/reach.h"
#include "compiler/reduce.h"
#include "compiler/scans.h"
#include "compiler/text.h"
#include "compiler/tploop.h"

namespace einkorn::compiler {

class Codelets {
 public:
  Codelets(const Unit& unit, const Plan& plan, const Names& names, const std::vector<Plan>& plans)
      : unit_(unit), plan_(plan), plans_(plans), f_(*plan.function), d_(f_.directives[plan.region]), names_(names) {
    for (const Clause& c : d_.clauses) {
      if (c.kind == Clause::if_) condition_ = text(c.argument);
      if (c.kind == Clause::num_threads) threads_ = text(c.argument);
      for (const int& v : c.variables)
        if (c.kind == Clause::reduction) {
          const size_t item = size_t(&v - c.variables.data());
          if (c.reduced[item].plain) reductions_.push_back({&c, v});
          else parts_.push_back({&c, v, item});
        }
      if (c.kind == Clause::copyin) copyin_.insert(copyin_.end(), c.variables.begin(), c.variables.end());
      is_bound_ |= c.kind == Clause::proc_bind;
    }
    lastprivate_ = gives_back(d_);
    tables_ = tables(plan);
    for (const Sync& s : plan_.syncs)
      for (const int v : s.live)
        if (std::find(kept_.begin(), kept_.end(), v) == kept_.end()) kept_.push_back(v);
    for (int v = 0; v < int(f_.variables.size()); ++v)
      if (plan_.own[v]) kept_.push_back(v);
    if (is_procedure(plan) && !plan.has_own) {  // in the frame, where parameters are
      names_.own = names_.frame;
      const auto is_there = [&](int v) {
        return std::find(plan.captured.begin(), plan.captured.end(), v) != plan.captured.end();
      };
      kept_.erase(std::remove_if(kept_.begin(), kept_.end(), is_there), kept_.end());
    }
    for (const int v : plan_.captured)
      if (!field_type(v).empty()) fields_.push_back(v);
    for (const int v : plan_.captured)
      if (is_of_length(v))
        for (Length& length : lengths_of(plan, v)) lengths_.push_back(std::move(length));
    std::vector<LoopParameter> known;
    for (const int v : fields_) known.push_back({v, is_by_address(v)});
    loop_ = loop_of_region(unit, plan, known);
  }

  std::string declaration() const { return "static int " + plan_.name + "_on(" + parameters() + ")"; }

  std::string call() const {
    std::string arguments;
    for (const int v : fields_) arguments += (arguments.empty() ? "" : ", ") + argument(v);
    for (const Length& length : lengths_) arguments += ", " + length.expression;
    if (fields_.empty() && !lengths_.empty()) arguments.erase(0, 2);
    if (has_threads()) {
      const std::string n = threads_.empty() ? "0" : threads_;
      arguments += (arguments.empty() ? "" : ", ") + (condition_.empty() ? n : "(" + condition_ + ") ? " + n + " : 1");
    }
    // A clause that calls something does so once: not where OpenMP's own form follows.
    const bool calls = (condition_ + threads_).find('(') != std::string::npos;
    return (calls ? is_on() + " && " : "") + plan_.name + "_on(" + arguments + ")";
  }

  // The structs of its memory, for others that call or invoke it, too.
  std::string memory() const {
    const std::string& n = plan_.name;
    std::string out = "\n/* codelets of " + f_.name + "(), line " +
                      std::to_string(is_function(plan_) ? f_.line : plan_.line) + " */\n" +
                      line_directive(plan_.line, f_.file);
    if (has_frame()) {
      out += "struct " + n + " {\n";
      for (const int v : fields_) out += "  " + declare(field_type(v), field(plan_, v)) + ";\n";
      for (const Length& length : lengths_) out += "  size_t " + length.field + ";\n";
      for (const int v : copyin_) out += "  " + declare(type_of_copyin(v), field(plan_, v)) + ";\n";
      if (!reductions_.empty()) out += "  int *ek_ran;\n";
      for (const Table& t : tables_) out += "  " + declare(t.type, "*" + t.name) + ";\n";
      if (!f_.result.text.empty() && is_function(plan_))
        out += "  " + declare(f_.result.plain, "*" + names_.result) + ";\n";
      if (is_procedure(plan_) && !plan_.has_own) out += lasting();
      if (is_called() || out.back() == '{' || out.compare(out.size() - 3, 3, " {\n") == 0)
        out += "  uint32_t " + names_.place + ";\n";
      out += "};\n";
    }
    if (has_own()) out += "struct " + n + "_own {\n" + lasting() + "};\n";
    if (is_procedure(plan_)) out += "static const ek_proc " + n + ";\n";
    return out + early_end();
  }
  std::string code() const {
    return named(run()) + overwriting() + table() + (is_procedure(plan_) ? call_in_place() : on());
  }

 private:
  std::string text(Range r) const { return unit_.text.substr(r.begin, r.end - r.begin); }
  const Variable& variable(int v) const { return f_.variables[v]; }
  // A type without a name is that of its variable.
  std::string type_of_copyin(int v) const {
    return variable(v).type.local ? "__typeof__(" + variable(v).name + ") @" : variable(v).type.plain;
  }
  // Of variable length, and declared with that in the codelet.
  bool is_of_length(int v) const { return variable(v).type.varies && plan_.reach[v] != Reach::elements; }
  bool has_frame() const { return !fields_.empty() || !lengths_.empty() || !copyin_.empty() || is_procedure(plan_); }
  // As a function is called, by an instance that has its frame.
  bool is_called() const {
    return is_function(plan_) && std::any_of(plans_.begin(), plans_.end(), [&](const Plan& p) {
             return std::find(p.calls.begin(), p.calls.end(), f_.name) != p.calls.end();
           });
  }
  bool has_own() const { return is_procedure(plan_) ? plan_.has_own : !kept_.empty() || !plan_.calls.empty(); }
  // What lives over sync points, the frames of procedures that it calls among it.
  std::string lasting() const {
    std::string out;
    for (const int v : kept_) out += "  " + declare(variable(v).type.plain, field(plan_, v)) + ";\n";
    for (const std::string& callee : plan_.calls) {
      const Procedure& p = unit_.procedures.at(callee);
      out += "  struct " + p.name + " " + p.name + ";\n";
      if (p.has_own) out += "  struct " + p.name + "_own " + p.name + "_own;\n";
    }
    return out;
  }
  bool is_loop() const { return !loop_.iterations.empty(); }
  bool has_threads() const { return !condition_.empty() || !threads_.empty(); }
  bool is_last(int v) const { return std::find(lastprivate_.begin(), lastprivate_.end(), v) != lastprivate_.end(); }

  std::string field_type(int v) const {
    const Type& t = variable(v).type;
    if (is_of_length(v)) return plan_.reach[v] == Reach::copy ? "" : is_by_address(v) ? "void *@" : t.flat;
    switch (plan_.reach[v]) {
      case Reach::value:
      case Reach::frame:
      case Reach::first: return t.plain;
      case Reach::elements: return t.element;
      case Reach::reduced:
        if (is_section(v)) return t.kind == Type::array ? t.element : t.plain;
        [[fallthrough]];
      case Reach::pointer:
      case Reach::plain: return t.to;
      default: return is_last(v) ? t.to : "";
    }
  }
  bool is_number(int v) const {
    return std::any_of(reductions_.begin(), reductions_.end(), [&](const Reduction& r) { return r.variable == v; });
  }
  bool is_section(int v) const {
    for (const Reduction& r : parts_)
      if (r.variable == v) return r.clause->reduced[r.item].section;
    return false;
  }
  bool is_by_address(int v) const {
    const Reach r = plan_.reach[v];
    if (r == Reach::reduced && is_section(v)) return false;
    if (is_of_length(v)) return r == Reach::pointer && variable(v).type.kind != Type::array;
    return r != Reach::value && r != Reach::elements && (r != Reach::first || variable(v).type.kind == Type::array);
  }
  std::string argument(int v) const {
    if (is_of_length(v)) return in_cast(field_type(v)) + (is_by_address(v) ? "&" : "") + variable(v).name;
    return (is_by_address(v) ? "&" : "") + variable(v).name;
  }
  std::string parameters() const {
    std::string out;
    for (const int v : fields_)
      out += (out.empty() ? "" : ", ") +
             declare(is_by_address(v) && !is_of_length(v) ? variable(v).type.to : field_type(v), variable(v).name);
    for (const Length& length : lengths_) out += (out.empty() ? "size_t " : ", size_t ") + length.field;
    if (has_threads()) out += std::string(out.empty() ? "" : ", ") + "int ek_threads";
    return out.empty() ? "void" : out;
  }
  // Where threads are bound, and the region says how, OpenMP's own form does it.
  std::string is_on() const {
    return std::string("ek_on_for_region()") + (is_bound_ ? " && omp_get_proc_bind() == omp_proc_bind_false" : "");
  }
  // Does the text name it, where it is the region's?
  bool is_named(int v) const {
    if (is_procedure(plan_)) return true;
    for (const Use& u : f_.uses)
      if (u.variable == v && is_inside(d_, u.at) && (owner(f_, plan_.region, u) < 0 || is_event(u))) return true;
    // A task takes its copy from the region's, and its body names the copy alone.
    return std::any_of(f_.directives.begin(), f_.directives.end(), [&](const Directive& d) {
      if (d.kind != Directive::kept || !is_inside(d_, d.pragma.begin)) return false;
      return has_variable(d.firstprivate, v) || std::any_of(d.clauses.begin(), d.clauses.end(), [&](const Clause& c) {
               return c.kind == Clause::firstprivate && has_variable(c.variables, v);
             });
    });
  }
  // Of a task that has a copy: its clause means the region's.
  bool is_event(const Use& u) const {
    for (const Directive& d : f_.directives)
      for (const Clause& c : d.clauses)
        if (c.name == "detach" && c.text.has(u.at)) return true;
    return false;
  }

  // The codelets' function says that it is the program's.
  std::string named(const std::string& code) const {
    if (f_.pretty_name.empty()) return code;
    const auto define = [](const char* name, const std::string& as) {
      return std::string("#define ") + name + " " + quoted(as) + "\n";
    };
    return define("__func__", f_.name) + define("__FUNCTION__", f_.name) + "#ifdef __clang__\n" +
           define("__PRETTY_FUNCTION__", f_.pretty_name) + "#else\n" + define("__PRETTY_FUNCTION__", f_.name) +
           "#endif\n" + code + "#undef __func__\n#undef __FUNCTION__\n#undef __PRETTY_FUNCTION__\n";
  }

  bool overwrites() const { return unit_.overwrites_dead && !plan_.is_complex && !plan_.syncs.empty(); }
  std::string begin_run() const {
    return overwrites() ? "static __attribute__((__noinline__)) ek_next " + plan_.name + "_text"
                        : "static ek_next EK_ALIGNED " + plan_.name + "_run";
  }
  // Between two codelets of an instance, where the plan is checked.
  std::string overwriting() const {
    if (!overwrites()) return "";
    const std::string &n = plan_.name, &me = names_.me;
    return line_directive(plan_.line, f_.file) + f_.attributes + "static ek_next " + n + "_run(ek_self *" + me +
           ") { ek_internal_overwrite_stack(); return " + n + "_text(" + me + "); }\n";
  }

  std::string run() const {
    const std::string& n = plan_.name;
    const std::string &me = names_.me, &frame = names_.frame;
    // The function is at the region's line: recordings have it from there.
    std::string out = plan_.is_complex ? complex_begin(plan_, names_)
                                       : line_directive(plan_.line, f_.file) + f_.attributes + begin_run() +
                                             "(ek_self *" + me + ") {\n";
    const bool pairs = unit_.text.find("typeof") != std::string::npos ||
                       unit_.text.find("_Generic") != std::string::npos ||
                       unit_.text.find("__auto_type") != std::string::npos;
    if (has_frame())
      out += "  struct " + n + " *const " + frame + " = (struct " + n + " *)" + me + "->" + names_.its_frame + ";\n";
    if (has_own())
      out += "  struct " + n + "_own *const " + names_.own + " = (struct " + n + "_own *)" + me + "->" +
             names_.its_own + ";\n";
    for (const std::string& constant : plan_.constants)
      out += (&constant == plan_.constants.data() ? "  enum { " : ", ") + constant;
    if (!plan_.constants.empty()) out += " };\n";
    std::string begins;  // what the instance's memory begins with: not where it goes on
    for (int v = 0; v < int(f_.variables.size()); ++v) {
      const Variable& it = variable(v);
      const std::string in_frame = frame + "->" + field(plan_, v);
      const Reach r = plan_.reach[v];
      if (r == Reach::plain || r == Reach::resident || r == Reach::frame) continue;
      if (is_of_length(v)) {
        if (is_named(v)) out += of_length(v);
      } else if (r == Reach::copy) {
        if (is_named(v) || is_last(v)) out += "  " + declare(it.type.plain, it.name) + ";\n";
      } else if (plan_.own[size_t(v)]) {
        begins += begin_own(v);
      } else if (r == Reach::reduced) {
        for (const auto& [clause, variable, item] : reductions_)
          if (variable == v)
            out += "  " + declare(it.type.plain, it.name) + " = " + identity(clause->op, it.type) + ";\n";
      } else if (!is_named(v)) {
        continue;
      } else if (r == Reach::first && it.type.kind == Type::array) {
        out += "  " + declare(it.type.plain, it.name) + ";\n  " + copy(it.name, in_frame, it.name) + "\n";
      } else if (r == Reach::first) {
        out += "  " + declare(it.type.plain, it.name) + " = " + in_frame + ";\n";
      } else if (r == Reach::value) {
        out += "  " + declare(pairs ? it.type.plain : it.type.constant, it.name) + " = " + in_frame + ";\n";
      } else {
        out += "  " + declare(field_type(v), "const " + it.name) + " = " + in_frame + ";\n";
      }
    }
    std::string ends;
    for (const auto& [clause, v, item] : parts_) {
      const std::string in_frame = frame + "->" + field(plan_, v);
      const Part part = part_of(unit_, Edits(unit_.text), *clause, item, variable(v),
                                clause->reduced[item].section ? in_frame : "*" + in_frame);
      out += "  " + part.begin + "\n";
      ends += "#pragma omp critical (ek_reduction)\n  { " + part.end + " }\n";
    }
    if (!plan_.syncs.empty()) {
      out += "  switch (" + (plan_.is_complex ? complex_entry() : me + "->" + names_.its_at) + ") {";
      for (size_t s = 1; s <= plan_.syncs.size(); ++s)
        out += " case " + std::to_string(s) + ": goto " + names_.label + std::to_string(s) + ";";
      out += " }\n";
    }
    out += begins;
    for (const int v : copyin_) {
      const std::string in_frame = frame + "->" + field(plan_, v), name = variable(v).name;
      out += "  " + (variable(v).type.kind == Type::array ? copy(name, in_frame, name) : name + " = " + in_frame + ";");
      out += "\n";
    }
    const size_t newline = unit_.text.rfind('\n', d_.statement.begin);
    out += line_directive(line_at(unit_.text, d_.pragma.begin, plan_.line, d_.statement.begin), f_.file);
    if (!is_function(plan_)) out += text({uint32_t(newline) + 1, d_.statement.begin});
    out += body(unit_, plan_, names_, plans_) + "\n";
    out += ends;
    for (const auto& [clause, v, item] : reductions_)
      out += "  " + frame + "->" + field(plan_, v) + "[" + me + "->" + names_.its_id + "] = " + here(v) + ";\n";
    if (!reductions_.empty())
      out += "  if (" + me + "->" + names_.its_id + " == 0) *" + frame + "->ek_ran = (int)" + me + "->" + names_.its_n +
             ";\n";
    if (!has_frame() && plan_.syncs.empty()) out += "  (void)" + me + ";\n";
    return out + (plan_.is_complex ? complex_end(plan_, names_) : "  return EK_END;\n}\n");
  }

  // A private copy that lasts begins with the value from outside, or with what its reduction begins with.
  std::string begin_own(int v) const {
    if (names_.own == names_.frame) return "";  // it is there
    const std::string in_frame = names_.frame + "->" + field(plan_, v), own = here(v);
    for (const auto& [clause, variable, item] : reductions_)
      if (variable == v) return "  " + own + " = " + identity(clause->op, f_.variables[size_t(v)].type) + ";\n";
    const Type& t = variable(v).type;
    if (t.kind <= Type::complex) return "  " + own + " = " + in_frame + ";\n";
    return "  " + copy("(void *)&" + own, "(const void *)&" + in_frame, own) + "\n";
  }
  // The variable, at the region's own level.
  std::string here(int v) const {
    return plan_.own[size_t(v)] ? names_.own + "->" + field(plan_, v) : variable(v).name;
  }
  std::string of_length(int v) const {
    const std::string &name = variable(v).name, in_frame = names_.frame + "->" + field(plan_, v);
    const std::string type = with_lengths(plan_, v, names_.frame);
    const bool is_array = variable(v).type.kind == Type::array;
    const Reach r = plan_.reach[v];
    std::string out = "  ";
    if (r == Reach::copy) return out + declare(type, name) + ";\n";
    if (r == Reach::pointer) {
      const std::string pointer = pointer_to(type, is_array);
      return out + declare(pointer, "const " + name) + " = " + in_cast(pointer) + in_frame + ";\n";
    }
    if (is_array) return out + declare(type, name) + ";\n  " + copy(name, in_frame, name) + "\n";
    return out + declare(type, (r == Reach::value ? "const " : "") + name) + " = " + in_cast(type) + in_frame + ";\n";
  }

  std::string table() const {
    const std::string& n = plan_.name;
    std::string out = "static const ek_cbb " + n + "_cbbs[] = {{" + std::to_string(plan_.line) + ", 1, 0}";
    for (const Sync& s : plan_.syncs) {
      if (plan_.is_complex) out += ", {" + std::to_string(s.line) + ", 2, 0}";
      out += ", {" + std::to_string(s.line) + ", 1, 0}";
    }
    const std::string frame_bytes = has_frame() ? "sizeof(struct " + n + ")" : "";
    const std::string own_bytes = has_own() ? "sizeof(struct " + n + "_own)" : "";
    const std::string flags = is_procedure(plan_) ? ""
                              : !plan_.free       ? "EK_PINNED"
                              : plan_.is_complex  ? "EK_FREE | EK_LOCALES"
                              : is_loop() ? std::string("EK_FREE | EK_LOOP") + (loop_.whole ? " | EK_WHOLE" : "")
                                          : "EK_FREE";
    const size_t count = plan_.syncs.size() * (plan_.is_complex ? 2 : 1) + 1;
    out += "};\nstatic const ek_proc " + n + " = {";
    out += member("name", "\"" + n + "\"") + member("file", quoted(f_.file)) + member("run", n + "_run");
    out += member("frame_bytes", frame_bytes) + member("own_bytes", own_bytes);
    out.replace(out.size() - 1, 1, "\n  ");
    out += member("cbbs", n + "_cbbs") + member("count", std::to_string(count)) + member("flags", flags);
    return out.substr(0, out.size() - 2) + "};\n";
  }
  // Of a struct's initializer, with a comma behind it; a value that is empty is zero.
  std::string member(const std::string& name, const std::string& value) const {
    if (names_.by_order) return (value.empty() ? "0" : value) + ", ";
    return value.empty() ? "" : "." + name + " = " + value + ", ";
  }

  // Would an instance be over before it has done anything? Then it is done: who would invoke it asks that first.
  std::string early_end() const {
    if (!is_function(plan_) || !unit_.procedures.at(f_.name).ends_early) return "";
    std::string value = "ek_value";
    const auto is_taken = [&](int v) { return variable(v).name == value; };
    while (std::any_of(f_.parameters.begin(), f_.parameters.end(), is_taken)) value += "_";
    // The value first: its type may have a parameter's name.
    std::string parameters, unused;
    if (!f_.early.value.empty()) parameters = declare(f_.result.plain, std::string("*").append(value));
    for (const int v : f_.parameters) {
      parameters += (parameters.empty() ? "" : ", ") + declare(variable(v).type.plain, variable(v).name);
      unused.append("  (void)").append(variable(v).name).append(";\n");
    }
    const auto line_of = [&](Range r) {
      return line_directive(line_at(unit_.text, f_.whole.begin, f_.line, r.begin), f_.file);
    };
    std::string out = "static inline int __attribute__((unused)) " + plan_.name + "_ends(";
    out.append(parameters.empty() ? "void" : parameters).append(") {\n").append(unused);
    out.append(line_of(f_.early.condition))
        .append("  if (!(")
        .append(text(f_.early.condition))
        .append(")) return 0;\n");
    if (!f_.early.value.empty()) {
      out.append(line_of(f_.early.value)).append("  *").append(value).append(" = (");
      out.append(text(f_.early.value)).append(");\n");
    }
    return out + "  return 1;\n}\n";
  }

  // A function that waits for the procedure, if a region needs one.
  std::string call_in_place() const {
    const auto needs = [&](const Plan& p) {
      return std::any_of(p.waits_for.begin(), p.waits_for.end(), [&](const auto& w) { return w.second == f_.name; });
    };
    if (!is_function(plan_) || std::none_of(plans_.begin(), plans_.end(), needs)) return "";
    std::string parameters, values;
    for (const int v : fields_) {
      parameters += (parameters.empty() ? "" : ", ") + declare(variable(v).type.plain, variable(v).name);
      values += "." + field(plan_, v) + " = " + variable(v).name + ", ";
    }
    return "static " +
           declare(f_.result.plain, plan_.name + "_call(" + (parameters.empty() ? "void" : parameters) + ")") +
           " {\n  " + declare(f_.result.plain, "ek_value") + ";\n  ek_launch(&" + plan_.name + ", &(struct " +
           plan_.name + "){" + values + "." + names_.result + " = &ek_value});\n  return ek_value;\n}\n";
  }

  std::string on() const {
    const std::string& n = plan_.name;
    const std::string threads = has_threads() ? "ek_threads" : "0";
    std::string out =
                    declaration() + " {\n  if (" + (is_bound_ ? "!(" + is_on() + ")" : "!" + is_on()) + ") return 0;\n",
                initial, after;
    if (!reductions_.empty() || !tables_.empty()) {
      const std::string limit =
          std::string(has_threads() ? "ek_threads > 0 ? ek_threads : " : "") + "omp_get_max_threads()";
      out += "  const int ek_limit = " + (is_loop() ? "ek_most_codelets(" + limit + ")" : limit) + ";\n";
      for (const Table& t : tables_) {
        if (t.large) {
          out += "  " + declare(t.type, "*const " + t.name) + " = __builtin_malloc((size_t)ek_limit * sizeof *" +
                 t.name + ");\n  if (!" + t.name + ") __builtin_trap();\n";
          after += "  __builtin_free(" + t.name + ");\n";
        } else {
          out += "  " + declare(t.type, t.name + "[ek_limit]") + ";\n";
        }
      }
      if (!reductions_.empty()) out += "  int ek_ran = 0;\n";
      for (const auto& [clause, v, item] : reductions_) {
        const std::string parts = "ek_of_" + variable(v).name;
        out += "  " + declare(variable(v).type.plain, parts + "[ek_limit]") + ";\n";
        after += "  for (int ek_i = 0; ek_i < ek_ran; ek_i++) " +
                 combine(clause->op, "*" + variable(v).name, parts + "[ek_i]") + "\n";
      }
    }
    if (has_frame()) {
      for (const int v : fields_) {
        const std::string& name = variable(v).name;
        const bool array = plan_.reach[v] == Reach::first && variable(v).type.kind == Type::array && !is_of_length(v);
        if (array) after = "  " + copy(names_.frame + "." + field(plan_, v), "*" + name, "*" + name) + "\n" + after;
        else
          initial += (initial.empty() ? "." : ", .") + field(plan_, v) + " = " +
                     (plan_.reach[v] == Reach::reduced && is_number(v) ? "ek_of_" + name : name);
      }
      for (const Length& length : lengths_)
        initial += (initial.empty() ? "." : ", .") + length.field + " = " + length.field;
      for (const int v : copyin_) {
        const std::string in_frame = names_.frame + "." + field(plan_, v), name = variable(v).name;
        if (variable(v).type.kind == Type::array) after = "  " + copy(in_frame, name, name) + "\n" + after;
        else initial += (initial.empty() ? "." : ", .") + field(plan_, v) + " = " + name;
      }
      if (!reductions_.empty()) initial += ", .ek_ran = &ek_ran";
      for (const Table& t : tables_) initial += ", ." + t.name + " = " + t.name;
      out += "  struct " + n + " " + names_.frame + (initial.empty() ? "" : " = {" + initial + "}") + ";\n";
    }
    const std::string arguments = "(&" + n + ", " + (has_frame() ? "&" + names_.frame : "NULL") + ", " + threads;
    const std::string run = is_loop() ? "  static ek_loop ek_known;\n  ek_run_loop" + arguments + ", " +
                                            loop_.iterations + ", &ek_known);\n"
                                      : "  ek_run" + arguments + ");\n";
    // What is copied into the frame comes before the run, what is combined after it.
    size_t copies = 0;
    while (after.compare(copies, 19, "  __builtin_memcpy(") == 0) copies = after.find('\n', copies) + 1;
    return out + after.substr(0, copies) + run + after.substr(copies) + "  return 1;\n}\n";
  }

  struct Reduction {
    const Clause* clause;
    int variable;
    size_t item = 0;
  };
  const Unit& unit_;
  const Plan& plan_;
  const std::vector<Plan>& plans_;
  const Function& f_;
  const Directive& d_;
  Names names_;
  std::string condition_, threads_;
  std::vector<Reduction> reductions_, parts_;  // of numbers; of others
  std::vector<int> copyin_;
  bool is_bound_ = false;
  std::vector<int> lastprivate_, kept_, fields_;
  std::vector<Length> lengths_;
  std::vector<Table> tables_;
  RegionLoop loop_;
};

}  // namespace einkorn::compiler
