#include "compiler/counters.h"

#include <cctype>

#include "compiler/names.h"

namespace einkorn::compiler {

std::string in_parentheses(const std::string& expression) {
  for (const char c : expression)
    if (!isalnum(static_cast<unsigned char>(c)) && c != '_') return "(" + expression + ")";
  return expression;
}

std::string trimmed(const std::string& s) {
  const size_t begin = s.find_first_not_of(" \t\r\n"), end = s.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : s.substr(begin, end - begin + 1);
}

std::string Counters::stride(const Loop& l) const {
  std::string step = l.step.empty() ? "1" : trimmed(edits_.apply(l.step));
  if (step.find_first_not_of("0123456789") != std::string::npos) step = in_parentheses(step);
  return l.negated ? "(-" + step + ")" : step;
}

std::string Counters::is_last(const Loop& l) const {
  const std::string counter = name(l), bound = in_parentheses(edits_.apply(l.bound));
  const std::string wide = l.by_pointer ? "" : "(uint64_t)";
  const std::string left = l.up ? wide + bound + " - " + wide + counter : wide + counter + " - " + wide + bound;
  return left + (l.inclusive ? " < " : " <= ") + wide + stride(l);
}

std::string Counters::any(const Loop& l) const {
  std::string out = "(";
  out += trimmed(declare(f_.variables[size_t(l.variable)].type.plain, ""));
  out += ")";
  out += in_parentheses(edits_.apply(l.first));
  out += l.up ? " <" : " >";
  out += l.inclusive ? "= " : " ";
  return out + in_parentheses(edits_.apply(l.bound));
}

std::string Counters::behind_first(const Loop& l, const std::string& first) const {
  const std::string wide = l.by_pointer ? "" : "(uint64_t)", begin = wide + in_parentheses(first);
  return "(" + (l.up ? wide + name(l) + " - " + begin : begin + " - " + wide + name(l)) + ")";
}

std::string Counters::count(const Loop& l) const {
  const std::string step = stride(l), first = edits_.apply(l.first), bound = in_parentheses(edits_.apply(l.bound));
  const bool literal = step.find_first_not_of("0123456789") == std::string::npos;
  const std::string type = trimmed(declare(f_.variables[size_t(l.variable)].type.plain, ""));
  const std::string in_type = l.by_pointer ? in_parentheses(first) : "(" + type + ")" + in_parentheses(first);
  const std::string wide = l.by_pointer ? "" : "(uint64_t)";
  const std::string low = wide + (l.up ? in_type : bound), high = wide + (l.up ? bound : in_type);
  const std::string difference = l.by_pointer ? "(uint64_t)(" + high + " - " + low + ")" : high + " - " + low;
  const std::string divisor = literal ? step : "(uint64_t)" + step;
  const std::string any = in_type + (l.up ? " <" : " >") + (l.inclusive ? "= " : " ") + bound;
  std::string count = difference;
  if (divisor != "1") count = "(" + count + (l.inclusive ? "" : " - 1") + ") / " + divisor + " + 1";
  else if (l.inclusive) count += " + 1";
  return "(int64_t)(" + any + " ? " + count + " : 0)";
}

std::string Counters::numbering(const std::vector<const Loop*>& loops) const {
  std::string out;
  for (size_t i = 0; i < loops.size(); ++i) {
    const std::string n = std::to_string(i);
    out += declare(f_.variables[size_t(loops[i]->variable)].type.plain, "const ek_first_" + n) + " = " +
           edits_.apply(loops[i]->first) + "; const uint64_t ek_step_" + n + " = (uint64_t)" + stride(*loops[i]) + "; ";
    if (i > 0) out += "const uint64_t ek_count_" + n + " = (uint64_t)" + count(*loops[i]) + "; ";
  }
  return out;
}

std::string Counters::number(const std::vector<const Loop*>& loops) const {
  std::string number;
  for (size_t i = 0; i < loops.size(); ++i) {
    const std::string n = std::to_string(i);
    const std::string of_loop = "(uint64_t)" + behind_first(*loops[i], "ek_first_" + n) + " / ek_step_" + n;
    number = i == 0 ? of_loop : "(" + number + ") * ek_count_" + n + " + " + of_loop;
  }
  return number;
}

std::string Counters::find_any(const Directive& d) const {
  std::string own, headers, ends;
  const auto add = [&](const Loop& l) {
    if (!l.declares) own += declare(f_.variables[size_t(l.variable)].type.plain, name(l)) + "; ";
    headers += "for (" + edits_.apply(l.header) + ") { ";
    ends += "if (ek_any) break; } ";
  };
  add(d.loop);
  for (const Loop& l : d.inner) add(l);
  return "int ek_any = 0; { " + own + headers + "ek_any = 1; " + ends + "} ";
}

std::string Counters::last_value(const Directive& d, int v) const {
  if (v == d.loop.variable) return next_value(d.loop);
  for (const Loop& l : d.inner)
    if (v == l.variable) return next_value(l);
  return f_.variables[size_t(v)].name;
}

std::string Counters::behind_rows(const Directive& d, const std::string& hands) const {
  const Loop &rows = d.loop, &row = d.inner[0];
  const auto declared = [&](const Loop& l, const std::string& name) {
    return declare(f_.variables[size_t(l.variable)].type.plain, name);
  };
  const std::string& counter = name(rows);
  return "int ek_more = 0; { " + declared(rows, "ek_row") + " = " + counter + "; " + declared(rows, counter) +
         " = ek_row; while (!ek_more && !(" + is_last(rows) + ")) { " + counter + (rows.up ? " += " : " -= ") +
         stride(rows) + "; ek_more = " + any(row) + "; } } if (!ek_more) { " + hands + "} ";
}

}  // namespace einkorn::compiler
