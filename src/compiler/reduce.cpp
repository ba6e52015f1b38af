#include "compiler/reduce.h"

#include <algorithm>
#include <iterator>

#include "compiler/body.h"
#include "compiler/reasons.h"

namespace einkorn::compiler {

std::string identity(const std::string& op, const Type& type) {
  if (op == "*" || op == "&&") return "1";
  if (op == "&") return "~0";
  if (op == "max") return type.least;
  if (op == "min") return type.most;
  return "0";
}

std::string combine(const std::string& op, const std::string& into, const std::string& from) {
  if (op == "max") return "if (" + into + " < " + from + ") " + into + " = " + from + ";";
  if (op == "min") return "if (" + from + " < " + into + ") " + into + " = " + from + ";";
  if (op == "&&" || op == "||") return into + " = " + into + " " + op + " " + from + ";";
  return into + " " + (op == "-" ? "+" : op) + "= " + from + ";";
}

NotANumber why_not_a_number(const std::string& op, const Type& type) {
  static const char* const kOps[] = {"+", "*", "-", "&", "|", "^", "&&", "||", "max", "min"};
  if (std::find(std::begin(kOps), std::end(kOps), op) == std::end(kOps) || type.kind > Type::complex ||
      type.kind == Type::pointer || type.is_volatile || type.is_const || type.local)
    return NotANumber::other;
  return (op == "max" || op == "min") && type.least.empty() ? NotANumber::limits : NotANumber::it_is;
}

namespace {

// The program's expression, with OpenMP's names for the two.
std::string with_names(const Unit& unit, Range expression, const std::string& whole, const std::string& part) {
  Edits edits(unit.text);
  for (const Word& w : words(unit.text, expression)) {
    const std::string name = unit.text.substr(w.at.begin, w.at.end - w.at.begin);
    if (name == "omp_out" || name == "omp_orig") edits.replace(w.at, whole);
    if (name == "omp_in" || name == "omp_priv") edits.replace(w.at, part);
  }
  std::string text = edits.apply(expression);
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

}  // namespace

bool is_of_elements(const Clause& reduction, size_t item, const Variable& v) {
  return reduction.reduced[item].section || v.type.kind == Type::array;
}

std::string merge(const Unit& unit, const Clause& reduction, size_t item, const std::string& to,
                  const std::string& from) {
  const Reduced& how = reduction.reduced[item];
  return how.by_user ? "{ " + with_names(unit, how.combiner, to, from) + "; }" : combine(reduction.op, to, from);
}

std::string why_not_reduced(const Directive& d, bool of_region, const Clause& c, size_t item, const Variable& v) {
  const auto because_of = [&](Why why) { return because(why, {c.op, v.name, d.name}); };
  const Reduced& how = c.reduced[item];
  if (c.number && (!of_region || v.file_scope || !how.plain)) return because_of(Why::reduction_task);
  if (how.plain) {
    switch (why_not_a_number(c.op, v.type)) {
      case NotANumber::it_is: return "";
      case NotANumber::other: return because_of(Why::reduction_number);
      case NotANumber::limits: return because_of(Why::reduction_limits);
    }
  }
  if (v.type.local || v.type.varies || v.type.is_volatile) return because_of(Why::reduction_type);
  const std::string& element = v.type.kind == Type::array ? v.type.element : v.type.base;
  if (how.section && (element.empty() || element.find('[') != std::string::npos))
    return because_of(Why::reduction_section);
  if (d.simd) return because_of(Why::reduction_simd);
  if (!how.by_user && (c.op == "max" || c.op == "min")) return because_of(Why::reduction_array);
  return "";
}

Part part_of(const Unit& unit, const Edits& edits, const Clause& reduction, size_t item, const Variable& v,
             const std::string& outer) {
  const Reduced& how = reduction.reduced[item];
  const std::string &name = v.name, whole = "ek_whole_" + v.name, part = "ek_part_" + v.name;
  const bool is_array = is_of_elements(reduction, item, v);
  std::string to = "(*" + whole + ")", from = name, each;
  Part it;
  if (is_array) {
    const std::string& base = v.type.base;
    const std::string pointer = declare(base, "*const " + whole),
                      cast = std::string("(").append(declare(base, "*")) + ")";
    std::string count;
    if (how.section) {
      const std::string lower = how.lower.empty() ? "" : edits.apply(how.lower);
      count = part + "_n";
      it.begin =
          "const size_t " + count + " = (size_t)(" + edits.apply(how.length) + "); " + pointer + " = " + cast + "(" +
          outer + ")" + (lower.empty() ? "" : " + (" + lower + ")") + "; " + declare(base, part + "[" + count + "]") +
          "; " + declare(base, "*" + name) + " = " +
          // Before its begin there is nothing that a pointer may point to.
          (lower.empty() ? part : cast + "((uintptr_t)" + part + " - (size_t)(" + lower + ") * sizeof *" + part + ")") +
          "; ";
      from = part + "[ek_k]";
    } else {
      count = "sizeof " + name + " / sizeof *" + whole;
      it.begin = pointer + " = " + cast + "&(" + outer + "); " + declare(v.type.plain, name) + "; ";
      from = "(" + cast + name + ")[ek_k]";
    }
    to = whole + "[ek_k]";
    each = "for (size_t ek_k = 0; ek_k < " + count + "; ek_k++) ";
  } else {
    it.begin = declare(v.type.plain, "*const " + whole) + " = &(" + outer + "); ";
  }
  std::string initial;
  if (how.by_user) initial = how.initial.empty() ? "" : with_names(unit, how.initial, to, from);
  else initial = identity(reduction.op, v.type);
  if (!is_array) {
    it.begin += declare(v.type.plain, name);
    if (initial.empty()) it.begin += " = {0}; ";
    else it.begin += how.initial_calls ? "; " + initial + "; " : " = " + initial + "; ";
  } else if (how.by_user && (initial.empty() || initial[0] == '{')) {
    const std::string one = declare(v.type.base, "ek_one");
    it.begin += each + "{ " + one + " = " + (initial.empty() ? "{0}" : initial) + "; " + from + " = ek_one; } ";
  } else {
    it.begin += each + (how.initial_calls ? initial : from + " = " + initial) + "; ";
  }
  it.end = each + merge(unit, reduction, item, to, from);
  return it;
}

}  // namespace einkorn::compiler
